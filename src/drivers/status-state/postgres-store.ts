import { Unavailable } from '../../lib/unavailable.ts'
import type { ChangeRecord } from '../../status/audit.ts'
import type { KnownIncident, KnownTransition, StateMeta, StateStore } from '../../status/state-store.ts'
import { uptimeStates } from '../../status/statuses.ts'
import type { UptimeRow } from '../../status/uptime.ts'
import type { Link } from './postgres-link.ts'
import {
  addUptimeText,
  auditQuery,
  auditRowOf,
  incidentsQuery,
  isForgotten,
  readAnnouncement,
  readComponent,
  readMaintenance,
  readRecord,
  rowsOf,
  transitionsQuery,
  trimAuditQuery,
  uptimeQuery,
  wholeMs,
} from './rows.ts'

const place = (n: number) => `$${n}`

/*
 * Each write is one statement, and so one transaction. All its parts see the state before it: an incident that is
 * opened and resolved at once is inserted as resolved. If `ours` is empty, nothing is written and no row returned.
 */

/** One row unless another worker has taken over; locked, so that none can take over until the statement ends. */
const ours = (place: string) =>
  `ours AS MATERIALIZED (SELECT 1 FROM status_meta WHERE name = 'holder' AND value = ${place} FOR SHARE)`

/** Inserts records of changes, given as JSON. */
const audited = (place: string) => `audited AS (
  INSERT INTO status_audit (id, at, outcome, record) SELECT id, at, outcome, record
  FROM ours, json_to_recordset(${place}) AS given (id text, at bigint, outcome text, record text) ON CONFLICT DO NOTHING
)`

const saving = (first: string) => `WITH ${first}, known AS (
  INSERT INTO status_components (id, state)
  SELECT id, state FROM ours, json_to_recordset($1) AS given (id text, state text)
  ON CONFLICT (id) DO UPDATE SET state = excluded.state
), opened AS (
  INSERT INTO status_incidents (id, component_id, started_at, detected_at, resolved_at, last_reported_status, message)
  SELECT id, component_id, started_at, detected_at, resolved_at, last_reported_status, message
  FROM ours, json_to_recordset($2) AS given (id text, component_id text, started_at bigint, detected_at bigint,
    resolved_at bigint, last_reported_status text, message text)
  ON CONFLICT DO NOTHING
), resolved AS (
  UPDATE status_incidents SET resolved_at = given.at FROM ours, json_to_recordset($3) AS given (id text, at bigint)
  WHERE status_incidents.id = given.id AND resolved_at IS NULL
), moved AS (
  INSERT INTO status_transitions (component_id, at, from_status, to_status, cause, message)
  SELECT component_id, at, from_status, to_status, cause, message
  FROM ours, json_to_recordset($4) AS given (component_id text, at bigint, from_status text, to_status text, cause text,
    message text)
)
SELECT FROM ours`

const saveText = saving(ours('$5'))
/** Apart, since few saves have records. */
const saveAuditedText = saving(`${ours('$6')}, ${audited('$5')}`)

const retireText = `WITH ${ours('$5')}, ${audited('$4')}, gone AS (
  DELETE FROM status_components USING ours WHERE id = $1 RETURNING id
), forgotten AS (
  DELETE FROM status_transitions USING gone WHERE component_id = gone.id
), unsummed AS (
  DELETE FROM status_uptime USING gone WHERE component_id = gone.id
), resolved AS (
  UPDATE status_incidents SET resolved_at = greatest($2, detected_at) FROM gone WHERE component_id = gone.id AND resolved_at IS NULL
), raised AS (
  UPDATE status_meta SET value = greatest(value::bigint, $3)::text FROM gone WHERE name = 'retired_sequence'
)
SELECT id FROM ours LEFT JOIN gone ON true`

const uptimeText = `WITH ${ours('$2')}, saved AS (
  ${addUptimeText(`SELECT given.* FROM ours, json_to_recordset($1) AS given ("componentId" text, day text,
  ${uptimeStates.map((state) => `${state} bigint`).join(', ')})`)}
)
SELECT FROM ours`

const forgetUptimeText = `WITH ${ours('$2')}, forgotten AS (
  DELETE FROM status_uptime USING ours WHERE day < $1
)
SELECT FROM ours`

const probeText = `WITH ${ours('$2')}, saved AS (
  INSERT INTO status_meta (name, value) SELECT 'probed_at', $1::text FROM ours
  ON CONFLICT (name) DO UPDATE SET value = excluded.value
)
SELECT FROM ours`

const putText = (
  table: 'status_maintenance' | 'status_announcements',
) => `WITH ${ours('$5')}, ${audited('$4')}, saved AS (
  INSERT INTO ${table} (id, until_at, state) SELECT $1::text, $2::bigint, $3::text FROM ours
  ON CONFLICT (id) DO UPDATE SET until_at = excluded.until_at, state = excluded.state
)
SELECT FROM ours`

const forgetText = `WITH ${ours('$2')}, resolved AS (
  DELETE FROM status_incidents USING ours WHERE resolved_at < $1
), moved AS (
  DELETE FROM status_transitions AS moved USING ours WHERE ${isForgotten('$1')}
), maintained AS (
  DELETE FROM status_maintenance USING ours WHERE until_at < $1
), announced AS (
  DELETE FROM status_announcements USING ours WHERE until_at < $1
), recorded AS (
  DELETE FROM status_audit USING ours WHERE at < $1
)
SELECT FROM ours`

/**
 * Uses the connection that holds the lock. If another worker nevertheless gets the lock, it replaces `holder`, and this
 * one can no longer write.
 */
export function createPostgresStore(
  link: Link,
  { holder, ...meta }: StateMeta & { readonly holder: string },
  close: () => Promise<void>,
): StateStore {
  const query: Link['query'] = async (statement, values) => {
    try {
      return await link.query(statement, values)
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable('database', error)
    }
  }
  const write = async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row> => {
    const [row] = await query<Row>({ text }, [...values, holder])
    if (row) return row
    const reason = new Error('another worker has taken over the state')
    link.lose(reason)
    throw new Unavailable('database', reason)
  }
  /** Without an error: the change itself is saved. */
  const trim = async (...records: readonly (ChangeRecord | null)[]): Promise<void> => {
    for (const outcome of new Set(records.flatMap((record) => record?.outcome ?? []))) {
      const { text, values } = trimAuditQuery(outcome, place)
      await query({ text }, values).catch(() => {})
    }
  }
  return {
    ...meta,
    holdsLease: () => link.isSure(),
    async load() {
      const text = 'SELECT id, state FROM status_components ORDER BY id'
      return (await query<{ id: string; state: string }>({ text })).map(readComponent)
    },
    async save(changes) {
      const { components, incidents, resolved, transitions, audited: records } = rowsOf(changes)
      const values = [components, incidents, resolved, transitions].map((rows) => JSON.stringify(rows))
      if (records.length === 0) return void (await write(saveText, values))
      await write(saveAuditedText, [...values, JSON.stringify(records)])
      await trim(...changes.audited)
    },
    async retire(componentId, at, sequence, record) {
      const values = [componentId, wholeMs(at), sequence]
      const { id } = await write<{ id: string | null }>(retireText, [...values, json(record)])
      await trim(record)
      return id !== null
    },
    incidents(which) {
      const { text, values } = incidentsQuery(which, place)
      return query<KnownIncident>({ text }, values)
    },
    transitions(componentId, page) {
      const { text, values } = transitionsQuery(componentId, page, place)
      return query<KnownTransition>({ text }, values)
    },
    async addUptime(rows) {
      await write(uptimeText, [JSON.stringify(rows)])
    },
    uptime(which) {
      const { text, values } = uptimeQuery(which, place)
      return query<UptimeRow>({ text }, values)
    },
    async forgetUptime(beforeDay) {
      await write(forgetUptimeText, [beforeDay])
    },
    async probe(at) {
      await write(probeText, [String(wholeMs(at))])
    },
    async maintenances() {
      return (await query<{ state: string }>({ text: 'SELECT state FROM status_maintenance' })).map(readMaintenance)
    },
    async saveMaintenance(maintenance, record) {
      const { id, endedAt, until } = maintenance
      const values = [id, endedAt ?? until, JSON.stringify(maintenance)]
      await write(putText('status_maintenance'), [...values, json(record)])
      await trim(record)
    },
    async announcements() {
      return (await query<{ state: string }>({ text: 'SELECT state FROM status_announcements' })).map(readAnnouncement)
    },
    async saveAnnouncement(announcement, record) {
      const { id, endedAt, until } = announcement
      const values = [id, endedAt ?? until, JSON.stringify(announcement)]
      await write(putText('status_announcements'), [...values, json(record)])
      await trim(record)
    },
    async audit(after, limit) {
      const { text, values } = auditQuery(after, limit, place)
      return (await query<{ record: string }>({ text }, values)).map(readRecord)
    },
    async forget(before) {
      await write(forgetText, [wholeMs(before)])
    },
    close,
  }
}

const json = (record: ChangeRecord | null) => JSON.stringify(record ? [auditRowOf(record)] : [])
