import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Unavailable } from '../../lib/unavailable.ts'
import type { KnownIncident, KnownTransition, StateMeta, StateStore } from '../../status/state-store.ts'
import { uptimeStates } from '../../status/statuses.ts'
import type { UptimeRow } from '../../status/uptime.ts'
import { translating } from '../sqlite/errors.ts'
import { inTransaction } from '../sqlite/schema.ts'
import {
  type AuditRow,
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

const place = () => '?'

/** The store on a database that this process has locked and migrated. */
export function createSqliteStore(db: DatabaseSync, meta: StateMeta, isThere = () => true): StateStore {
  const atOnce = <T>(act: () => T): T => {
    if (!isThere()) throw new Unavailable('database')
    return translating(() => inTransaction(db, 'IMMEDIATE', act))
  }

  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  const load = prepare('SELECT id, state FROM status_components ORDER BY id')
  const putComponent = prepare(
    'INSERT INTO status_components (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state',
  )
  const open = prepare(`INSERT INTO status_incidents
    (id, component_id, started_at, detected_at, resolved_at, last_reported_status, message)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const resolve = prepare('UPDATE status_incidents SET resolved_at = ? WHERE id = ? AND resolved_at IS NULL')
  const move = prepare(
    'INSERT INTO status_transitions (component_id, at, from_status, to_status, cause, message) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const dropComponent = prepare('DELETE FROM status_components WHERE id = ?')
  const dropTransitions = prepare('DELETE FROM status_transitions WHERE component_id = ?')
  const resolveOpen = prepare(
    'UPDATE status_incidents SET resolved_at = max(?, detected_at) WHERE component_id = ? AND resolved_at IS NULL',
  )
  const forgetIncidents = prepare('DELETE FROM status_incidents WHERE resolved_at < ?')
  const forgetTransitions = prepare(`DELETE FROM status_transitions AS moved WHERE ${isForgotten('?1')}`)
  const putMeta = prepare(
    'INSERT INTO status_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const addUptime = prepare(addUptimeText(`VALUES (?, ?, ${uptimeStates.map(place).join(', ')})`))
  const dropUptime = prepare('DELETE FROM status_uptime WHERE component_id = ?')
  const forgetUptime = prepare('DELETE FROM status_uptime WHERE day < ?')
  const forgetMaintenance = prepare('DELETE FROM status_maintenance WHERE until_at < ?')
  const putInto = (table: 'status_maintenance' | 'status_announcements') =>
    prepare(`INSERT INTO ${table} (id, until_at, state) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET until_at = excluded.until_at, state = excluded.state`)
  const putMaintenance = putInto('status_maintenance')
  const maintenances = prepare('SELECT state FROM status_maintenance')
  const putAnnouncement = putInto('status_announcements')
  const announcements = prepare('SELECT state FROM status_announcements')
  const forgetAnnouncements = prepare('DELETE FROM status_announcements WHERE until_at < ?')
  const putRecord = prepare(
    'INSERT INTO status_audit (id, at, outcome, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  )
  const forgetRecords = prepare('DELETE FROM status_audit WHERE at < ?')
  const putRecords = (rows: readonly AuditRow[]) => {
    for (const { id, at, outcome, record } of rows) putRecord.run(id, at, outcome, record)
    for (const outcome of new Set(rows.map((row) => row.outcome))) {
      const { text, values } = trimAuditQuery(outcome, place)
      prepare(text).run(...values)
    }
  }
  const raise = prepare("UPDATE status_meta SET value = max(CAST(value AS INTEGER), ?) WHERE name = 'retired_sequence'")

  return {
    ...meta,
    holdsLease: () => db.isOpen && isThere(),
    load: async () => translating(() => (load.all() as { id: string; state: string }[]).map(readComponent)),
    async save(changes) {
      const rows = rowsOf(changes)
      atOnce(() => {
        for (const { id, state } of rows.components) putComponent.run(id, state)
        for (const { id, component_id, started_at, detected_at, resolved_at, ...row } of rows.incidents)
          open.run(id, component_id, started_at, detected_at, resolved_at, row.last_reported_status, row.message)
        for (const { id, at } of rows.resolved) resolve.run(at, id)
        for (const row of rows.transitions)
          move.run(row.component_id, row.at, row.from_status, row.to_status, row.cause, row.message)
        putRecords(rows.audited)
      })
    },
    async retire(componentId, at, sequence, record) {
      return atOnce(() => {
        if (record) putRecords([auditRowOf(record)])
        if (Number(dropComponent.run(componentId).changes) === 0) return false
        raise.run(sequence)
        dropTransitions.run(componentId)
        dropUptime.run(componentId)
        resolveOpen.run(wholeMs(at), componentId)
        return true
      })
    },
    async incidents(which) {
      const { text, values } = incidentsQuery(which, place)
      return plain<KnownIncident>(translating(() => prepare(text).all(...values)))
    },
    async transitions(componentId, page) {
      const { text, values } = transitionsQuery(componentId, page, place)
      return plain<KnownTransition>(translating(() => prepare(text).all(...values)))
    },
    async addUptime(rows) {
      atOnce(() => {
        for (const row of rows) addUptime.run(row.componentId, row.day, ...uptimeStates.map((state) => row[state]))
      })
    },
    async uptime(which) {
      const { text, values } = uptimeQuery(which, place)
      return plain<UptimeRow>(translating(() => prepare(text).all(...values)))
    },
    async forgetUptime(beforeDay) {
      atOnce(() => forgetUptime.run(beforeDay))
    },
    async probe(at) {
      atOnce(() => putMeta.run('probed_at', String(wholeMs(at))))
    },
    maintenances: async () => translating(() => (maintenances.all() as { state: string }[]).map(readMaintenance)),
    async saveMaintenance(maintenance, record) {
      atOnce(() => {
        putMaintenance.run(maintenance.id, maintenance.endedAt ?? maintenance.until, JSON.stringify(maintenance))
        if (record) putRecords([auditRowOf(record)])
      })
    },
    announcements: async () => translating(() => (announcements.all() as { state: string }[]).map(readAnnouncement)),
    async saveAnnouncement(announcement, record) {
      atOnce(() => {
        putAnnouncement.run(announcement.id, announcement.endedAt ?? announcement.until, JSON.stringify(announcement))
        if (record) putRecords([auditRowOf(record)])
      })
    },
    async audit(after, limit) {
      const { text, values } = auditQuery(after, limit, place)
      return translating(() => (prepare(text).all(...values) as { record: string }[]).map(readRecord))
    },
    async forget(before) {
      atOnce(() => {
        forgetIncidents.run(wholeMs(before))
        forgetTransitions.run(wholeMs(before))
        forgetMaintenance.run(wholeMs(before))
        forgetAnnouncements.run(wholeMs(before))
        forgetRecords.run(wholeMs(before))
      })
    },
    async close() {
      if (db.isOpen) db.close()
    },
  }
}

/** SQLite's rows have no prototype. */
const plain = <Row>(rows: readonly object[]) => rows.map((row) => ({ ...row }) as Row)
