import { type Migrations, type Readers, readersTable } from '../migrations.ts'
import { searchTables } from './name-index.ts'

export interface Dialect {
  readonly text: string
  readonly integer: string
  readonly ending: string
  readonly computed: 'VIRTUAL' | 'STORED'
  nameIn(column: string): string
  /** The columns of a covering index. */
  covering(sorted: string, beside: string): string
  /** What finds users among a million. PostgreSQL's is built apart from the migrations, while others write. */
  readonly search: readonly string[]
}

/** STRICT makes SQLite check types as PostgreSQL does. */
export const sqliteDialect: Dialect = {
  text: 'TEXT',
  integer: 'INTEGER',
  ending: ' STRICT',
  computed: 'VIRTUAL',
  nameIn: (column) => `(${column} ->> 'username')`,
  covering: (sorted, beside) => `(${sorted}, ${beside})`,
  search: [
    ...searchTables,
    // Replaced by one that covers every order, which the planner would not prefer.
    'DROP INDEX users_banned',
    'CREATE INDEX users_banned_by_time ON users (created_at, id, total, username_key, role, banned_until) WHERE banned = 1',
  ],
}

/** COLLATE "C": both databases sort by bytes. */
export const postgresDialect: Dialect = {
  text: 'text COLLATE "C"',
  integer: 'bigint',
  ending: '',
  computed: 'STORED',
  nameIn: (column) => `(${column}::json ->> 'username')`,
  covering: (sorted, beside) => `(${sorted}) INCLUDE (${beside})`,
  search: [],
}

/** Before version 10 every program refused a newer schema. */
export const readers: Readers = { table: 'schema_readers', oldest: 10 }

export const migrations: Migrations<Dialect> = [
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
  ({ text, integer, ending, computed, covering }) => [
    'DROP INDEX users_username',
    'DROP INDEX users_owners',
    ...[
      `username_key ${text} GENERATED ALWAYS AS (lower(username)) ${computed}`,
      `ban_reason ${text}`,
      `banned_at ${integer}`,
      `banned_until ${integer}`,
      `banned_by ${text}`,
      `requests_id ${text}`,
      `auth ${integer} NOT NULL DEFAULT 0`,
      `admin ${integer} NOT NULL DEFAULT 0`,
      `images ${integer} NOT NULL DEFAULT 0`,
      `total ${integer} GENERATED ALWAYS AS (auth + admin + images) ${computed}`,
      `requests_created_at ${integer}`,
      `requests_updated_at ${integer}`,
    ].map((column) => `ALTER TABLE users ADD COLUMN ${column}`),
    'UPDATE users SET banned_at = updated_at WHERE banned = 1',
    'CREATE UNIQUE INDEX users_username ON users (username_key)',
    // Covering: lists need no table rows, whatever they filter by.
    `CREATE INDEX users_by_name ON users ${covering('username_key, id', 'role, banned, banned_until')}`,
    `CREATE INDEX users_by_time ON users ${covering('created_at, id', 'role, banned, banned_until, username_key')}`,
    `CREATE INDEX users_by_total ON users ${covering('total, id', 'role, banned, banned_until, username_key')}`,
    // Partial: few users are staff or banned.
    "CREATE INDEX users_staff ON users (role, id) WHERE role <> 'user'",
    'CREATE INDEX users_banned ON users (id, banned_until) WHERE banned = 1',
    `CREATE TABLE usage (
      user_id ${text} NOT NULL,
      day ${text} NOT NULL,
      auth ${integer} NOT NULL,
      admin ${integer} NOT NULL,
      images ${integer} NOT NULL,
      PRIMARY KEY (user_id, day)
    )${ending}`,
    'CREATE INDEX usage_by_day ON usage (day)',
    `CREATE TABLE audit (
      id ${text} PRIMARY KEY NOT NULL,
      at ${integer} NOT NULL,
      action ${text} NOT NULL,
      outcome ${text} NOT NULL,
      actor ${text},
      target ${text},
      address ${text},
      request_id ${text},
      before ${text},
      after ${text}
    )${ending}`,
    'CREATE INDEX audit_at ON audit (at, id)',
    // Includes the other filter columns, so that events that do not match are skipped within the index.
    'CREATE INDEX audit_actor ON audit (actor, at, id, action, target)',
    'CREATE INDEX audit_target ON audit (target, at, id, action, actor)',
    'CREATE INDEX audit_action ON audit (action, at, id, actor, target)',
    `CREATE TABLE batches (id ${text} PRIMARY KEY NOT NULL, at ${integer} NOT NULL)${ending}`,
  ],
  // Partial: few events have a former name.
  ({ nameIn }) =>
    ['before', 'after'].map(
      (column) =>
        `CREATE INDEX audit_name_${column} ON audit (lower(${nameIn(column)}), target) WHERE ${nameIn(column)} IS NOT NULL`,
    ),
  // One row, for proveWritable.
  ({ text, integer, ending }) => [
    `CREATE TABLE probe (id ${integer} PRIMARY KEY NOT NULL, content ${text} NOT NULL)${ending}`,
  ],
  ({ integer }) => [`ALTER TABLE audit ADD COLUMN count ${integer} NOT NULL DEFAULT 1`],
  ({ text, integer, ending }) => [
    `CREATE TABLE api_keys (
      id ${text} PRIMARY KEY NOT NULL,
      user_id ${text} NOT NULL,
      name ${text} NOT NULL,
      scopes ${text} NOT NULL,
      limit_per_minute ${integer},
      created_at ${integer} NOT NULL,
      expires_at ${integer},
      last_used_at ${integer},
      requests ${integer} NOT NULL DEFAULT 0
    )${ending}`,
    'CREATE INDEX api_keys_user ON api_keys (user_id, id)',
    `CREATE TABLE key_secrets (
      hash ${text} PRIMARY KEY NOT NULL,
      key_id ${text} NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      expires_at ${integer}
    )${ending}`,
    'CREATE INDEX key_secrets_key ON key_secrets (key_id)',
    `ALTER TABLE usage ADD COLUMN keys ${integer} NOT NULL DEFAULT 0`,
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE embed_links (
      id ${text} PRIMARY KEY NOT NULL,
      user_id ${text} NOT NULL,
      kinds ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL
    )${ending}`,
    'CREATE INDEX embed_links_user ON embed_links (user_id, id)',
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE reports (
      id ${text} PRIMARY KEY NOT NULL,
      name ${text} NOT NULL,
      etag ${text} NOT NULL,
      count ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      closed_at ${integer},
      action ${text} CHECK (action IN ('keep', 'hide', 'delete')),
      closed_by ${text}
    )${ending}`,
    'CREATE UNIQUE INDEX reports_of_image ON reports (name) WHERE closed_at IS NULL',
    'CREATE INDEX reports_open ON reports (created_at, id) WHERE closed_at IS NULL',
    'CREATE INDEX reports_closed ON reports (closed_at, id) WHERE closed_at IS NOT NULL',
    `CREATE TABLE report_reasons (
      report_id ${text} NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
      user_id ${text} NOT NULL,
      reason ${text} NOT NULL,
      at ${integer} NOT NULL,
      PRIMARY KEY (report_id, user_id)
    )${ending}`,
    'CREATE INDEX report_reasons_user ON report_reasons (user_id)',
    `CREATE TABLE hidden_images (name ${text} PRIMARY KEY NOT NULL)${ending}`,
    // One row: tells instances whether hidden_images has changed.
    `CREATE TABLE hidden_version (version ${integer} NOT NULL)${ending}`,
    'INSERT INTO hidden_version (version) VALUES (0)',
  ],
  ({ text, integer, ending }) => [
    `ALTER TABLE embed_links ADD COLUMN is_repeating ${integer} NOT NULL DEFAULT 1`,
    `CREATE TABLE walks (
      name ${text} PRIMARY KEY NOT NULL,
      user_id ${text} NOT NULL,
      link_id ${text} REFERENCES embed_links (id) ON DELETE CASCADE,
      round ${integer} NOT NULL,
      place ${integer} NOT NULL,
      day ${text} NOT NULL
    )${ending}`,
    'CREATE INDEX walks_user ON walks (user_id)',
    'CREATE INDEX walks_link ON walks (link_id) WHERE link_id IS NOT NULL',
    'CREATE INDEX walks_day ON walks (day)',
  ],
  ({ integer, ending }) => [readersTable(readers.table, integer, ending)],
  ({ text }) => [`ALTER TABLE embed_links ADD COLUMN orientation ${text}`],
  ({ integer }) => [`ALTER TABLE embed_links ADD COLUMN last_used_at ${integer}`],
  ({ text, integer, ending }) => [
    `CREATE TABLE sessions (
      id ${text} PRIMARY KEY NOT NULL,
      user_id ${text} NOT NULL,
      hash ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      last_used_at ${integer} NOT NULL,
      address ${text} NOT NULL,
      browser ${text} NOT NULL
    )${ending}`,
    'CREATE UNIQUE INDEX sessions_hash ON sessions (hash)',
    'CREATE INDEX sessions_user ON sessions (user_id, id)',
    'CREATE INDEX sessions_expiry ON sessions (expires_at)',
  ],
  ({ search }) => search,
  ({ text, integer, ending }) => [
    `CREATE TABLE image_details (
      name ${text} PRIMARY KEY NOT NULL,
      alt ${text},
      title ${text},
      artist ${text},
      source ${text},
      license ${text},
      tags ${text} NOT NULL,
      version ${integer} NOT NULL,
      changed_at ${integer} NOT NULL,
      absent_since ${integer}
    )${ending}`,
    'CREATE INDEX image_details_changes ON image_details (version, name)',
    'CREATE INDEX image_details_absent ON image_details (absent_since) WHERE absent_since IS NOT NULL',
    // One row: tells instances whether image_details has changed.
    `CREATE TABLE image_details_version (version ${integer} NOT NULL, forgotten ${integer} NOT NULL)${ending}`,
    'INSERT INTO image_details_version (version, forgotten) VALUES (0, 0)',
  ],
  ({ text, integer, ending }) => [
    `ALTER TABLE embed_links ADD COLUMN per ${text}`,
    `ALTER TABLE embed_links ADD COLUMN time_zone ${text}`,
    `CREATE TABLE period_images (
      name ${text} PRIMARY KEY NOT NULL,
      period ${integer} NOT NULL,
      kind ${text} NOT NULL,
      filename ${text} NOT NULL,
      positions ${text} NOT NULL,
      chosen_at ${integer} NOT NULL
    )${ending}`,
  ],
  ({ text }) => ['tags', 'without_tags'].map((name) => `ALTER TABLE embed_links ADD COLUMN ${name} ${text}`),
  ({ text, ending }) => [
    `CREATE TABLE image_looks (
      name ${text} PRIMARY KEY NOT NULL,
      etag ${text} NOT NULL,
      color ${text} NOT NULL,
      thumbhash ${text} NOT NULL
    )${ending}`,
  ],
  ({ text, ending }) => [
    `CREATE TABLE undecodable_images (
      name ${text} PRIMARY KEY NOT NULL,
      etag ${text} NOT NULL
    )${ending}`,
  ],
  ({ text }) => [`ALTER TABLE period_images ADD COLUMN user_id ${text}`],
]

/** Which rows `cli move` copies, for tables that it does not copy whole. */
export const movedRows = { probe: 'false', [readers.table]: 'false', user_count: 'false' }

/** Queries that the newest schema must answer: a version alone does not prove that its tables exist. */
export const schemaProbes = [
  'SELECT id, username_key, role, banned_until, password_hash, token_hash, requests_id, total FROM users LIMIT 1',
  'SELECT user_id, day, auth, admin, images, keys FROM usage LIMIT 1',
  'SELECT id, at, action, outcome, actor, target, address, request_id, count, before, after FROM audit LIMIT 1',
  'SELECT id, at FROM batches LIMIT 1',
  'SELECT id, content FROM probe LIMIT 1',
  'SELECT id, user_id, name, scopes, limit_per_minute, created_at, expires_at, last_used_at, requests FROM api_keys LIMIT 1',
  'SELECT hash, key_id, expires_at FROM key_secrets LIMIT 1',
  'SELECT id, user_id, kinds, created_at, expires_at, is_repeating, orientation, per, time_zone, tags, without_tags, last_used_at FROM embed_links LIMIT 1',
  'SELECT id, user_id, hash, created_at, expires_at, last_used_at, address, browser FROM sessions LIMIT 1',
  'SELECT name, user_id, link_id, round, place, day FROM walks LIMIT 1',
  'SELECT name, period, kind, filename, positions, chosen_at, user_id FROM period_images LIMIT 1',
  'SELECT name, etag, color, thumbhash FROM image_looks LIMIT 1',
  'SELECT name, etag FROM undecodable_images LIMIT 1',
  'SELECT id, name, etag, count, created_at, updated_at, closed_at, action, closed_by FROM reports LIMIT 1',
  'SELECT report_id, user_id, reason, at FROM report_reasons LIMIT 1',
  'SELECT name FROM hidden_images LIMIT 1',
  'SELECT version FROM hidden_version LIMIT 1',
  'SELECT name, alt, title, artist, source, license, tags, version, changed_at, absent_since FROM image_details LIMIT 1',
  'SELECT version, forgotten FROM image_details_version LIMIT 1',
  'SELECT version, oldest_reader FROM schema_readers LIMIT 1',
]
