import type { ChangeRecord } from '../../status/audit.ts'
import type { Link } from '../../status/links.ts'
import { endOf, type Published } from '../../status/published.ts'
import type {
  Changes,
  KnownIncident,
  KnownTransition,
  Page,
  StateMeta,
  StateStore,
  UptimeRange,
} from '../../status/state-store.ts'
import { maxRecords, maxRuns, uptimeStates } from '../../status/statuses.ts'
import type { UptimeRow } from '../../status/uptime.ts'
import { auditRowOf, linkRowOf, readComponent, readRecord, readRun, rowsOf, runRowsOf, wholeMs } from './rows.ts'

type Value = string | number | null

/** `$1` is the first value, `$2` the second. */
export interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

/** A database with the tables of schema.ts, held by this worker. */
export interface StateDatabase {
  /** The function that returns the elements of a JSON array, each as `value`. */
  readonly elements: 'json_each' | 'json_array_elements'
  /** False if another worker may already be the leader. */
  holdsLease(): boolean
  read<Row extends object>(statement: Statement): Promise<Row[]>
  /** All in one transaction, which fails if another worker has become the leader. The rows of each statement. */
  write(statements: readonly Statement[]): Promise<readonly (readonly object[])[]>
  close(): Promise<void>
}

/** The statements, in SQL that both databases understand. */
export function createStateStore(database: StateDatabase, meta: StateMeta): StateStore {
  const { read, write } = database
  /** Inserts rows given as JSON; the columns that are not text have their type. */
  const insert = (into: string, columns: Readonly<Record<string, 'text' | 'bigint'>>, onConflict: string) => {
    const values = Object.entries(columns).map(([name, type]) => `CAST(value ->> '${name}' AS ${type})`)
    const text = `INSERT INTO ${into} (${Object.keys(columns).join(', ')}) SELECT ${values.join(', ')}
      FROM ${database.elements}($1) AS given WHERE true ${onConflict}`
    return (rows: readonly object[]): Statement[] =>
      rows.length === 0 ? [] : [{ text, values: [JSON.stringify(rows)] }]
  }
  const putComponents = insert(
    'status_components',
    { id: 'text', state: 'text' },
    'ON CONFLICT (id) DO UPDATE SET state = excluded.state',
  )
  const openIncidents = insert(
    'status_incidents',
    {
      id: 'text',
      component_id: 'text',
      started_at: 'bigint',
      detected_at: 'bigint',
      resolved_at: 'bigint',
      last_reported_status: 'text',
      message: 'text',
    },
    'ON CONFLICT DO NOTHING',
  )
  const resolveIncident = ({ id, at }: { readonly id: string; readonly at: number }): Statement => ({
    text: 'UPDATE status_incidents SET resolved_at = $1 WHERE id = $2 AND resolved_at IS NULL',
    values: [at, id],
  })
  const addTransitions = insert(
    'status_transitions',
    { component_id: 'text', at: 'bigint', from_status: 'text', to_status: 'text', cause: 'text', message: 'text' },
    '',
  )
  const addRecords = insert(
    'status_audit',
    { id: 'text', at: 'bigint', outcome: 'text', record: 'text' },
    'ON CONFLICT DO NOTHING',
  )
  const putRuns = insert(
    'status_runs',
    { id: 'text', component_id: 'text', run: 'text', body: 'text' },
    'ON CONFLICT (id) DO UPDATE SET run = excluded.run, body = coalesce(excluded.body, status_runs.body)',
  )
  /** Only the newest `maxRuns` of each component are kept. */
  const addRuns = (ran: NonNullable<Changes['ran']>): Statement[] => [
    ...putRuns(runRowsOf(ran)),
    ...[...new Set(ran.map(({ componentId }) => componentId))].map((id) => ({
      text: `DELETE FROM status_runs WHERE component_id = $1 AND number <= (SELECT number FROM status_runs
        WHERE component_id = $1 ORDER BY number DESC LIMIT 1 OFFSET ${maxRuns})`,
      values: [id],
    })),
  ]
  const addLinkRows = insert(
    'status_links',
    { hash: 'text', component_id: 'text', down_at: 'bigint', target: 'text', until_at: 'bigint' },
    'ON CONFLICT DO NOTHING',
  )
  const addSums = insert(
    'status_uptime',
    {
      component_id: 'text',
      day: 'text',
      ...Object.fromEntries(summed.map((column) => [column, 'bigint'] as const)),
    },
    `ON CONFLICT (component_id, day) DO UPDATE SET
      ${summed.map((column) => `${column} = status_uptime.${column} + excluded.${column}`).join(', ')}`,
  )
  /** Only the newest `maxRecords` of each outcome are kept. */
  const audit = (records: readonly (ChangeRecord | null)[]): Statement[] => {
    const added = records.filter((record) => record !== null)
    return [
      ...addRecords(added.map(auditRowOf)),
      ...[...new Set(added.map(({ outcome }) => outcome))].map((outcome) => ({
        text: `DELETE FROM status_audit WHERE outcome = $1 AND number <= (SELECT number FROM status_audit
          WHERE outcome = $1 ORDER BY number DESC LIMIT 1 OFFSET ${maxRecords})`,
        values: [outcome],
      })),
    ]
  }

  return {
    ...meta,
    holdsLease: database.holdsLease,
    async load() {
      const text = 'SELECT id, state FROM status_components ORDER BY id'
      return (await read<{ id: string; state: string }>({ text, values: [] })).map(readComponent)
    },
    async save(changes) {
      const { components, incidents, resolved, transitions } = rowsOf(changes)
      await write([
        ...putComponents(components),
        ...openIncidents(incidents),
        ...resolved.map(resolveIncident),
        ...addTransitions(transitions),
        ...addRuns(changes.ran ?? []),
        ...audit(changes.audited),
      ])
    },
    async retire(componentId, at, sequence, record) {
      const raise = `UPDATE status_meta SET value = CAST(CAST($1 AS bigint) AS text)
        WHERE name = 'retired_sequence' AND CAST(value AS bigint) < $1
        AND EXISTS (SELECT 1 FROM status_components WHERE id = $2)`
      const resolve = `UPDATE status_incidents SET resolved_at = CASE WHEN detected_at > $1 THEN detected_at ELSE $1 END
        WHERE component_id = $2 AND resolved_at IS NULL`
      const [, , , , , removed = []] = await write([
        { text: raise, values: [sequence, componentId] },
        { text: resolve, values: [wholeMs(at), componentId] },
        { text: 'DELETE FROM status_transitions WHERE component_id = $1', values: [componentId] },
        { text: 'DELETE FROM status_runs WHERE component_id = $1', values: [componentId] },
        { text: 'DELETE FROM status_uptime WHERE component_id = $1', values: [componentId] },
        { text: 'DELETE FROM status_components WHERE id = $1 RETURNING id', values: [componentId] },
        ...audit([record]),
      ])
      return removed.length > 0
    },
    incidents({ componentId, isOpen, ...page }) {
      const state = isOpen === null ? [] : [`resolved_at IS ${isOpen ? '' : 'NOT '}NULL`]
      return read<KnownIncident>(newestFirst(fromIncidents, state, componentId, page))
    },
    transitions(componentId, page) {
      const from = 'SELECT number, at, from_status AS "from", to_status AS "to", cause, message FROM status_transitions'
      return read<KnownTransition>(newestFirst(from, [], componentId, page))
    },
    async runs(componentId) {
      const text = 'SELECT run, body FROM status_runs WHERE component_id = $1 ORDER BY number DESC'
      return (await read<{ run: string; body: string | null }>({ text, values: [componentId] })).map(readRun)
    },
    async addUptime(rows) {
      await write(addSums(rows.map(({ componentId, ...row }) => ({ component_id: componentId, ...row }))))
    },
    uptime: (range) => read<UptimeRow>(sums(range)),
    async forgetUptime(beforeDay) {
      await write([{ text: 'DELETE FROM status_uptime WHERE day < $1', values: [beforeDay] }])
    },
    async probe(at) {
      const text = `INSERT INTO status_meta (name, value) VALUES ('probed_at', $1)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`
      await write([{ text, values: [String(wholeMs(at))] }])
    },
    async published(kind) {
      const found = await read<{ state: string }>({ text: `SELECT state FROM status_${kind}`, values: [] })
      return found.map(({ state }) => JSON.parse(state))
    },
    async savePublished(changed, record) {
      const put = <Kind extends keyof Published>(kind: Kind) =>
        changed[kind]?.map((one) => ({
          text: `INSERT INTO status_${kind} (id, until_at, state) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET until_at = excluded.until_at, state = excluded.state`,
          values: [one.id, endOf[kind](one), JSON.stringify(one)],
        })) ?? []
      await write([...(Object.keys(changed) as (keyof Published)[]).flatMap(put), ...audit([record])])
    },
    async deleteWritten(id, record) {
      const text = 'DELETE FROM status_written_incidents WHERE id = $1'
      await write([{ text, values: [id] }, ...audit([record])])
    },
    async incident(id) {
      const [found] = await read<KnownIncident>({ text: `${fromIncidents} WHERE id = $1`, values: [id] })
      return found
    },
    async addLinks(links, now) {
      const forget = { text: 'DELETE FROM status_links WHERE until_at <= $1', values: [wholeMs(now)] }
      await write([forget, ...addLinkRows(links.map(linkRowOf))])
    },
    async link(hash) {
      const text = `SELECT hash, component_id AS "componentId", down_at AS "downAt", target, until_at AS "until"
        FROM status_links WHERE hash = $1`
      const [link] = await read<Link>({ text, values: [hash] })
      return link ?? null
    },
    async audit(after, limit) {
      const text = `SELECT record FROM status_audit
        WHERE number > coalesce((SELECT number FROM status_audit WHERE id = $1), 0) ORDER BY number LIMIT $2`
      return (await read<{ record: string }>({ text, values: [after ?? '', limit] })).map(readRecord)
    },
    async forget(before) {
      const values = [wholeMs(before)]
      await write(forgetTexts.map((text) => ({ text, values })))
    },
    close: database.close,
  }
}

const fromIncidents = `SELECT number, id, component_id AS "componentId", started_at AS "startedAt",
  detected_at AS "detectedAt", resolved_at AS "resolvedAt", last_reported_status AS "lastReportedStatus", message
  FROM status_incidents`

/** By number, so in order of insertion, whatever the clock said. */
function newestFirst(
  from: string,
  conditions: readonly string[],
  componentId: string | null,
  { before = null, limit }: Page,
): Statement {
  const values: Value[] = []
  const all = [...conditions]
  if (componentId !== null) all.push(`component_id = $${values.push(componentId)}`)
  if (before !== null) all.push(`number < $${values.push(before)}`)
  const where = all.length > 0 ? `WHERE ${all.join(' AND ')}` : ''
  return { text: `${from} ${where} ORDER BY number DESC LIMIT $${values.push(limit)}`, values }
}

const summed = [...uptimeStates, 'responses', 'responding']

const sums = ({ first, last, fromDay, untilDay, isDaily }: UptimeRange): Statement => ({
  text: `SELECT component_id AS "componentId", min(day) AS day,
    ${summed.map((column) => `CAST(sum(${column}) AS bigint) AS ${column}`).join(', ')} FROM status_uptime
    WHERE component_id >= $1 AND component_id <= $2 AND day >= $3 AND day <= $4
    GROUP BY component_id${isDaily ? ', day' : ''}`,
  values: [first, last, fromDay, untilDay],
})

/** Not the newest transition of a component before that time, which began the status that it had at that time. */
const forgetTexts = [
  'DELETE FROM status_incidents WHERE resolved_at < $1',
  `DELETE FROM status_transitions AS moved WHERE moved.at < $1 AND EXISTS (
    SELECT 1 FROM status_transitions AS later
    WHERE later.component_id = moved.component_id AND later.number > moved.number AND later.at < $1
  )`,
  'DELETE FROM status_maintenance WHERE until_at < $1',
  'DELETE FROM status_recurring_maintenance WHERE until_at < $1',
  'DELETE FROM status_announcements WHERE until_at < $1',
  'DELETE FROM status_written_incidents WHERE until_at < $1',
  'DELETE FROM status_audit WHERE at < $1',
]
