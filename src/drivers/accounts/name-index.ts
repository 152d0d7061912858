import type { DatabaseSync } from 'node:sqlite'
import { isUsername } from '../../accounts/username.ts'

/*
 * SQLite's index of parts of names. Its terms are the three characters from each position of a name, fewer at the end:
 * `maria` has mar, ari, ria, ia and a. So a part of one or two characters is the beginning of a term, and a longer one
 * consists of terms. FTS5 has a trigram tokenizer, but that finds no part of less than three characters. Triggers keep
 * the index current, whichever release of the program writes.
 */

const maxNameLength = 32
const termLength = 3

const termsOf = (name: string) =>
  Array.from({ length: maxNameLength }, (_, at) => `substr(${name}, ${at + 1}, ${termLength})`).join(` || ' ' || `)

const add = (row: string) =>
  `INSERT INTO name_parts (rowid, terms) VALUES (${row}.rowid, ${termsOf(`${row}.username_key`)})`
const remove = (row: string) => `DELETE FROM name_parts WHERE rowid = ${row}.rowid`
const fill = `INSERT INTO name_parts (rowid, terms) SELECT rowid, ${termsOf('username_key')} FROM users`

/** Also counts the users: SQLite would read a whole index for that. */
export const searchTables = [
  `CREATE VIRTUAL TABLE name_parts USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_.-'"
  )`,
  'CREATE TABLE user_count (count INTEGER NOT NULL) STRICT',
  'INSERT INTO user_count (count) SELECT count(*) FROM users',
  fill,
  `CREATE TRIGGER users_added AFTER INSERT ON users BEGIN
    ${add('new')};
    UPDATE user_count SET count = count + 1;
  END`,
  `CREATE TRIGGER users_renamed AFTER UPDATE OF username ON users WHEN new.username_key <> old.username_key BEGIN
    ${remove('old')};
    ${add('new')};
  END`,
  `CREATE TRIGGER users_deleted AFTER DELETE ON users BEGIN
    ${remove('old')};
    UPDATE user_count SET count = count - 1;
  END`,
]

/** The expression that finds the names with this part, and a few others: their terms may be elsewhere in the name. */
export function termsWith(part: string): string {
  if (part.length < termLength) return `"${part}"*`
  const terms = Array.from({ length: part.length - termLength + 1 }, (_, at) => part.slice(at, at + termLength))
  return [...new Set(terms)].map((term) => `"${term}"`).join(' AND ')
}

/**
 * VACUUM may give the rows new numbers, which the index does not notice. The last row then has a smaller one, so it is
 * the proof that all are as they were.
 */
export function isNameIndexCurrent(db: DatabaseSync): boolean {
  const last = db.prepare('SELECT rowid AS number, username_key AS name FROM users ORDER BY rowid DESC LIMIT 1').get()
  if (last === undefined || !isUsername(String(last.name))) return true
  const found = db.prepare('SELECT 1 FROM name_parts WHERE rowid = ? AND name_parts MATCH ?')
  // FTS5 ignores a floating-point number, as which a plain one would be bound.
  return found.get(BigInt(Number(last.number)), termsWith(String(last.name))) !== undefined
}

/** In a transaction. Takes about 9 s per million accounts. */
export function rebuildNameIndex(db: DatabaseSync): void {
  db.exec(`INSERT INTO name_parts (name_parts) VALUES ('delete-all'); ${fill}`)
}
