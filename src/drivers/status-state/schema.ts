import { uptimeStates } from '../../status/statuses.ts'
import { type Migrations, type Readers, readersTable } from '../migrations.ts'

/** The differences between the two databases. */
export interface Dialect {
  readonly text: string
  readonly integer: string
  /** The type of a number that counts rows in order of insertion. */
  readonly counted: string
  readonly ending: string
}

/** STRICT: SQLite checks column types too. */
export const sqliteDialect: Dialect = { text: 'TEXT', integer: 'INTEGER', counted: 'INTEGER', ending: ' STRICT' }

/** "C": both databases sort by bytes. */
export const postgresDialect: Dialect = {
  text: 'text COLLATE "C"',
  integer: 'bigint',
  counted: 'bigint GENERATED ALWAYS AS IDENTITY',
  ending: '',
}

/** Before version 7 every program refused a newer schema. */
export const readers: Readers = { table: 'status_readers', oldest: 7 }

export const migrations: Migrations<Dialect> = [
  ({ text, integer, counted, ending }) => [
    `CREATE TABLE status_meta (name ${text} PRIMARY KEY NOT NULL, value ${text} NOT NULL)${ending}`,
    `CREATE TABLE status_components (id ${text} PRIMARY KEY NOT NULL, state ${text} NOT NULL)${ending}`,
    // No foreign key: an incident outlives its component.
    `CREATE TABLE status_incidents (
      id ${text} PRIMARY KEY NOT NULL,
      component_id ${text} NOT NULL,
      started_at ${integer} NOT NULL,
      detected_at ${integer} NOT NULL,
      resolved_at ${integer},
      last_reported_status ${text} NOT NULL
    )${ending}`,
    'CREATE INDEX status_incidents_by_time ON status_incidents (started_at, id)',
    'CREATE INDEX status_incidents_by_component ON status_incidents (component_id, started_at, id)',
    `CREATE TABLE status_transitions (
      number ${counted} PRIMARY KEY NOT NULL,
      component_id ${text} NOT NULL,
      at ${integer} NOT NULL,
      from_status ${text},
      to_status ${text} NOT NULL,
      cause ${text} NOT NULL,
      UNIQUE (component_id, at, to_status, cause)
    )${ending}`,
    'CREATE INDEX status_transitions_by_time ON status_transitions (at)',
  ],
  // Transitions may be identical and clocks may step back, so only the number gives their order.
  ({ text, integer, counted, ending }) => [
    `CREATE TABLE status_moves (
      number ${counted} PRIMARY KEY NOT NULL,
      component_id ${text} NOT NULL,
      at ${integer} NOT NULL,
      from_status ${text},
      to_status ${text} NOT NULL,
      cause ${text} NOT NULL
    )${ending}`,
    `INSERT INTO status_moves (component_id, at, from_status, to_status, cause)
      SELECT component_id, at, from_status, to_status, cause FROM status_transitions ORDER BY number`,
    'DROP TABLE status_transitions',
    'ALTER TABLE status_moves RENAME TO status_transitions',
    'CREATE INDEX status_transitions_by_component ON status_transitions (component_id, number)',
    'CREATE INDEX status_transitions_by_time ON status_transitions (at)',
    "INSERT INTO status_meta VALUES ('retired_sequence', '0')",
  ],
  // Incidents in order of insertion too, and none resolved before it was detected.
  ({ text, integer, counted, ending }) => [
    `CREATE TABLE status_silences (
      number ${counted} PRIMARY KEY NOT NULL,
      id ${text} NOT NULL UNIQUE,
      component_id ${text} NOT NULL,
      started_at ${integer} NOT NULL,
      detected_at ${integer} NOT NULL,
      resolved_at ${integer},
      last_reported_status ${text} NOT NULL
    )${ending}`,
    `INSERT INTO status_silences (id, component_id, started_at, detected_at, resolved_at, last_reported_status)
      SELECT id, component_id, started_at, detected_at,
        CASE WHEN resolved_at < detected_at THEN detected_at ELSE resolved_at END, last_reported_status
      FROM status_incidents ORDER BY started_at, id`,
    'DROP TABLE status_incidents',
    'ALTER TABLE status_silences RENAME TO status_incidents',
    'CREATE INDEX status_incidents_by_component ON status_incidents (component_id, number)',
  ],
  ({ text }) => [
    `ALTER TABLE status_incidents ADD COLUMN message ${text}`,
    `ALTER TABLE status_transitions ADD COLUMN message ${text}`,
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE status_maintenance (
      id ${text} PRIMARY KEY NOT NULL,
      until_at ${integer} NOT NULL,
      state ${text} NOT NULL
    )${ending}`,
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE status_uptime (
      component_id ${text} NOT NULL,
      day ${text} NOT NULL,
      ${uptimeStates.map((state) => `${state} ${integer} NOT NULL`).join(', ')},
      PRIMARY KEY (component_id, day)
    )${ending}`,
    'CREATE INDEX status_uptime_by_day ON status_uptime (day)',
  ],
  ({ integer, ending }) => [readersTable(readers.table, integer, ending)],
  ({ text, integer, ending }) => [
    `CREATE TABLE status_announcements (
      id ${text} PRIMARY KEY NOT NULL,
      until_at ${integer},
      state ${text} NOT NULL
    )${ending}`,
  ],
  ({ text, integer, counted, ending }) => [
    `CREATE TABLE status_audit (
      number ${counted} PRIMARY KEY NOT NULL,
      id ${text} NOT NULL UNIQUE,
      at ${integer} NOT NULL,
      outcome ${text} NOT NULL,
      record ${text} NOT NULL
    )${ending}`,
    'CREATE INDEX status_audit_by_outcome ON status_audit (outcome, number)',
  ],
  ({ text, counted, ending }) => [
    `CREATE TABLE status_runs (
      number ${counted} PRIMARY KEY NOT NULL,
      id ${text} NOT NULL UNIQUE,
      component_id ${text} NOT NULL,
      run ${text} NOT NULL,
      body ${text}
    )${ending}`,
    'CREATE INDEX status_runs_by_component ON status_runs (component_id, number)',
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE status_links (
      hash ${text} PRIMARY KEY NOT NULL,
      component_id ${text} NOT NULL,
      down_at ${integer} NOT NULL,
      target ${text} NOT NULL,
      until_at ${integer} NOT NULL
    )${ending}`,
    'CREATE INDEX status_links_by_time ON status_links (until_at)',
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE status_written_incidents (
      id ${text} PRIMARY KEY NOT NULL,
      until_at ${integer},
      state ${text} NOT NULL
    )${ending}`,
  ],
  ({ text, integer, ending }) => [
    `CREATE TABLE status_recurring_maintenance (
      id ${text} PRIMARY KEY NOT NULL,
      until_at ${integer},
      state ${text} NOT NULL
    )${ending}`,
  ],
  ({ integer }) => [
    `ALTER TABLE status_uptime ADD COLUMN responses ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE status_uptime ADD COLUMN responding ${integer} NOT NULL DEFAULT 0`,
  ],
]

/** Which rows `cli move` copies, for tables that it does not copy whole: the others belong to one database. */
export const movedRows = { status_meta: "name IN ('source', 'retired_sequence')", [readers.table]: 'false' }

/** Run at start: a version number does not prove that the tables exist. */
export const schemaProbes = [
  'SELECT name, value FROM status_meta LIMIT 1',
  'SELECT id, state FROM status_components LIMIT 1',
  `SELECT number, id, component_id, started_at, detected_at, resolved_at, last_reported_status, message
    FROM status_incidents LIMIT 1`,
  'SELECT id, until_at, state FROM status_maintenance LIMIT 1',
  'SELECT id, until_at, state FROM status_recurring_maintenance LIMIT 1',
  'SELECT id, until_at, state FROM status_announcements LIMIT 1',
  'SELECT id, until_at, state FROM status_written_incidents LIMIT 1',
  'SELECT number, id, at, outcome, record FROM status_audit LIMIT 1',
  'SELECT number, id, component_id, run, body FROM status_runs LIMIT 1',
  `SELECT component_id, day, ${uptimeStates.join(', ')}, responses, responding FROM status_uptime LIMIT 1`,
  'SELECT number, component_id, at, from_status, to_status, cause, message FROM status_transitions LIMIT 1',
  'SELECT hash, component_id, down_at, target, until_at FROM status_links LIMIT 1',
  'SELECT version, oldest_reader FROM status_readers LIMIT 1',
]
