/** Column types and table endings: all that differs between the two dialects' schemas. */
export interface Dialect {
  readonly text: string
  readonly integer: string
  readonly ending: string
}

/** STRICT: a value of another type is an error in SQLite too. */
export const sqliteDialect: Dialect = { text: 'TEXT', integer: 'INTEGER', ending: ' STRICT' }

/** "C": both databases sort the same bytes the same way. */
export const postgresDialect: Dialect = { text: 'text COLLATE "C"', integer: 'bigint', ending: '' }

/** Forward only, each in one transaction. One that has been released is never edited; the next is added below it. */
export const migrations: readonly ((dialect: Dialect) => readonly string[])[] = [
  ({ text, integer, ending }) => [
    `CREATE TABLE users (
      id ${text} PRIMARY KEY NOT NULL,
      username ${text} NOT NULL,
      role ${text} NOT NULL CHECK (role IN ('user', 'support', 'moderator', 'admin', 'owner')),
      banned ${integer} NOT NULL DEFAULT 0 CHECK (banned IN (0, 1)),
      password_hash ${text} NOT NULL,
      token_hash ${text},
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    )${ending}`,
    'CREATE UNIQUE INDEX users_username ON users (lower(username))',
    "CREATE INDEX users_owners ON users (id) WHERE role = 'owner'",
  ],
]

/** What the newest schema must be able to answer: a version alone does not prove that its tables are there. */
export const schemaProbe =
  'SELECT id, username, role, banned, password_hash, token_hash, created_at, updated_at FROM users LIMIT 1'

export const newerSchema = (where: string, found: number) =>
  `${where} has schema version ${found}, newer than this program's ${migrations.length}; start the newer program`
