import { type Kysely, type Selectable, sql } from 'kysely'
import type { AuditEvent, Details, PendingEvent } from '../../accounts/audit.ts'
import { idAt } from '../../lib/ids.ts'
import { canBe, isWho } from './account-rows.ts'
import { type AuditTable, type Database, integer, type StoreDeps, type Tables, text } from './database.ts'

const columns = [
  'id',
  'at',
  'action',
  'outcome',
  'actor',
  'target',
  'address',
  'request_id',
  'count',
  'before',
  'after',
] as const satisfies readonly (keyof AuditTable)[]

const numbers: readonly string[] = ['at', 'count']

/** Of an act that is written together with its event. */
export const eventNow = ({ clock, newId }: StoreDeps) => ({
  id: newId(),
  happenedAt: clock.monotonic(),
  outcome: 'success',
  count: 1,
})

/** Adds events to the audit; `nowUs` is `database.now`, read in this transaction. */
export async function insertEvents(
  trx: Kysely<Tables>,
  { keepsTime, rowsOf }: Database,
  { clock }: Pick<StoreDeps, 'clock'>,
  nowUs: number,
  events: readonly PendingEvent[],
): Promise<void> {
  const targets = await findTargets(trx, events)
  const rows = events.map((event) => {
    const atUs = nowUs - Math.round((clock.monotonic() - event.happenedAt) * 1000)
    const [id, at] = [keepsTime ? idAt(atUs, event.id) : event.id, Math.floor(atUs / 1000)]
    const target = event.target ?? targets.get(event) ?? null
    return [
      ...[
        id,
        at,
        event.action,
        plain(event.outcome),
        event.actor,
        target && plain(target),
        event.address,
        event.requestId,
      ],
      ...[event.count, json(event.before), json(event.after)],
    ]
  })
  const values = columns.map((name, place) => (numbers.includes(name) ? integer(place) : text(place)))
  await sql`INSERT INTO audit (${sql.join(columns.map((name) => sql.ref(name)))})
    SELECT ${sql.join(values)} FROM ${rowsOf(JSON.stringify(rows))}`.execute(trx)
}

/** The accounts that events are about which failed before anybody could be looked up. */
async function findTargets(trx: Kysely<Tables>, events: readonly PendingEvent[]): Promise<Map<PendingEvent, string>> {
  const found = new Map<PendingEvent, string>()
  for (const event of events) {
    const { about = null } = event
    if (event.target !== null || about === null || !canBe(about)) continue
    const user = await trx.selectFrom('users').select('id').where(isWho(about)).executeTakeFirst()
    if (user) found.set(event, user.id)
  }
  return found
}

/** PostgreSQL takes neither a NUL nor half a surrogate pair, and one such text would hold up all that is to be written. */
const plain = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

const json = (details: Details | null) =>
  details && JSON.stringify(details, (_, value) => (typeof value === 'string' ? plain(value) : value))

export const eventOf = (row: Selectable<AuditTable>): AuditEvent => ({
  id: row.id,
  at: row.at,
  action: row.action,
  outcome: row.outcome,
  actor: row.actor,
  target: row.target,
  address: row.address,
  requestId: row.request_id,
  count: row.count,
  before: row.before === null ? null : JSON.parse(row.before),
  after: row.after === null ? null : JSON.parse(row.after),
})
