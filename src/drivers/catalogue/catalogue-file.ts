import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BadDatabase } from '../accounts/database.ts'
import { SqliteConnection } from '../sqlite/connection.ts'
import { isUnusable } from '../sqlite/errors.ts'
import { inTransaction, migrate, type SqliteSchema, schemaProblem } from '../sqlite/schema.ts'

export const fileName = 'catalogue.db'
/** About two million objects. */
const maxUnmappedBytes = 536_870_912
const maxMappedBytes = 2_147_418_112
/** The operator's tool writes a page at a time; the event loop blocks meanwhile. */
const busyMs = 100
const startBusyMs = 2_000

/** A slot combines the kind's id and the ordinal, so that each object is found by its row id. */
const tables = `
  CREATE TABLE source (name TEXT NOT NULL) STRICT;
  CREATE TABLE kinds (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    count INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    complete INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE objects (
    slot INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    filename TEXT NOT NULL,
    etag TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX objects_by_filename ON objects (kind, filename);
  CREATE INDEX objects_by_modified ON objects (kind, modified);
`

/** Null unless the ETag is an MD5, which it is not for a multipart object. */
const checksums = `
  ALTER TABLE objects ADD COLUMN checksum BLOB AS (CASE WHEN length(etag) = 32 THEN unhex(etag) END) VIRTUAL;
  CREATE INDEX objects_by_checksum ON objects (checksum) WHERE checksum IS NOT NULL;
`

/** What objects look like. Versions up to 0.2 chose from classes of shapes. */
const shapes = `
  ALTER TABLE objects ADD COLUMN class INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE objects ADD COLUMN place INTEGER;
  ALTER TABLE objects ADD COLUMN width INTEGER;
  ALTER TABLE objects ADD COLUMN height INTEGER;
  ALTER TABLE objects ADD COLUMN mime TEXT;
  ALTER TABLE objects ADD COLUMN animated INTEGER;
  CREATE INDEX objects_by_class ON objects (kind, class, filename);
  CREATE TABLE members (place INTEGER PRIMARY KEY, slot INTEGER NOT NULL) STRICT;
  CREATE TABLE classes (
    kind INTEGER NOT NULL,
    class INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (kind, class)
  ) STRICT, WITHOUT ROWID;
`

/** Pages, newest first. Includes the name, since many objects may have the same time. */
const pages = `
  DROP INDEX objects_by_modified;
  CREATE INDEX objects_by_modified ON objects (kind, modified, filename);
  CREATE INDEX objects_by_class_modified ON objects (kind, class, modified, filename) WHERE class > 1;
`

/** What is not an image: null if that is unknown, 0 if it is one. */
const faulty = `
  ALTER TABLE objects ADD COLUMN fault INTEGER;
  CREATE INDEX objects_by_fault ON objects (kind, fault, filename) WHERE fault IS NOT 0;
`

/** Filters need no classes. `isRead`: 0 if the header has not been read. To drop `place` would rewrite the table. */
const filters = `
  DROP TABLE members;
  DROP TABLE classes;
  DROP INDEX objects_by_class;
  DROP INDEX objects_by_class_modified;
  ALTER TABLE objects RENAME COLUMN class TO isRead;
  CREATE INDEX objects_unread ON objects (kind, filename) WHERE isRead = 0;
`

const schema: SqliteSchema = {
  name: 'a catalogue',
  /** "MENC" */
  applicationId: 0x4d454e43,
  migrations: [[tables], [checksums], [shapes], [pages], [faulty], [filters]],
  maxCheckedBytes: 67_108_864,
}

/** Damaged, or written by another version or for another store. */
class Unusable extends Error {}

/** The file is a cache: the service replaces an unusable one, but not a busy one. `source` names the listed store. */
export function openCatalogueFile(dataDir: string, source: string, mayReplace: boolean): SqliteConnection {
  const path = join(dataDir, fileName)
  try {
    return openFile(path, source)
  } catch (error) {
    if (!(error instanceof Unusable || isUnusable(error))) throw error
    if (!mayReplace)
      throw new BadDatabase(`${path} cannot be used: ${(error as Error).message}. The service replaces it at its start`)
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
    return openFile(path, source)
  }
}

function openFile(path: string, source: string): SqliteConnection {
  closeSync(openSync(path, 'a', 0o600))
  // Blocking is fine here: nothing is served yet.
  const connection = new SqliteConnection(path, { readOnly: false, busyMs: startBusyMs })
  try {
    prepare(connection, path, source)
    connection.db.exec(`PRAGMA busy_timeout = ${busyMs}`)
    mapIfLarge(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Memory-mapping saves a microsecond per lookup among ten million. The kernel caches the pages either way, but mapped
 * ones count towards our memory, so a small file is not mapped.
 */
export function mapIfLarge(connection: SqliteConnection): void {
  const [pages, pageBytes] = ['page_count', 'page_size'].map((name) =>
    Number(connection.get(`PRAGMA ${name}`, [])?.[name]),
  )
  if (Number(pages) * Number(pageBytes) > maxUnmappedBytes) connection.db.exec(`PRAGMA mmap_size = ${maxMappedBytes}`)
}

function prepare(connection: SqliteConnection, path: string, source: string): void {
  const { db } = connection
  // A power loss may lose the last commits, but cannot corrupt the file.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864')
  if (schemaProblem(db, path, schema) !== null) throw new Unusable('it is damaged or of another version')
  inTransaction(db, 'IMMEDIATE', () => {
    if (migrate(db, schema) === 0) connection.run('INSERT INTO source (name) VALUES (?)', [source])
  })
  if (connection.get('SELECT name FROM source', [])?.name !== source)
    throw new Unusable('it lists another store or bucket')
}
