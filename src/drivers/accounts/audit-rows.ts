import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { AuditEvent, Details, PendingEvent } from '../../accounts/audit.ts'
import type { Who } from '../../accounts/users.ts'
import { idAt } from '../../lib/ids.ts'
import { canBe } from './account-rows.ts'
import { type AuditTable, type Database, integer, isAmong, type Tables, text } from './database.ts'

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

/** One moment on both clocks: `database.now` and `clock.monotonic()`. */
export interface Reading {
  readonly us: number
  readonly askedAt: number
}

/** Inserts events, dated by a reading taken in this transaction. */
export async function insertEvents(
  trx: Kysely<Tables>,
  database: Database,
  reading: Reading,
  events: readonly PendingEvent[],
): Promise<void> {
  for (const isWorkers of [false, true]) {
    const some = events.filter((event) => (event.isWorkers ?? false) === isWorkers)
    if (some.length > 0) await insertRows(trx, database, reading, some, isWorkers ? onKnown : sql``)
  }
}

/** The API's event of its own act, which has an actor, replaces the worker's, whichever is written first. */
const onKnown = sql`ON CONFLICT (id) DO UPDATE SET
  ${sql.join(['actor', 'address', 'request_id', 'target', 'before', 'after'].map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`))}
  WHERE audit.actor IS NULL AND excluded.actor IS NOT NULL`

async function insertRows(
  trx: Kysely<Tables>,
  { keepsTime, rowsOf }: Database,
  { us, askedAt }: Reading,
  events: readonly PendingEvent[],
  onConflict: RawBuilder<unknown>,
): Promise<void> {
  const rows = events.map((event) => {
    const atUs = us - Math.round((askedAt - event.happenedAt) * 1000)
    const id = keepsTime && !event.isWorkers ? idAt(atUs, event.id) : event.id
    const { action, outcome, actor, target, address, requestId, count } = event
    return [
      ...[id, Math.floor(atUs / 1000), action, plain(outcome), actor, target && plain(target), address, requestId],
      ...[count, json(event.before), json(event.after)],
    ]
  })
  const values = columns.map((name, place) => (numbers.includes(name) ? integer(place) : text(place)))
  await sql`INSERT INTO audit (${sql.join(columns.map((name) => sql.ref(name)))})
    SELECT ${sql.join(values)} FROM ${rowsOf(JSON.stringify(rows))} WHERE true ${onConflict}`.execute(trx)
}

/**
 * Looks up the accounts that events name, and sets the targets. Merges what turn out to be repetitions into the first.
 */
export async function withTargets(
  trx: Kysely<Tables>,
  database: Database,
  events: readonly PendingEvent[],
): Promise<PendingEvent[]> {
  const targets = await findTargets(trx, database, events)
  const known = new Map<unknown, PendingEvent>()
  for (const event of events) {
    const { named = null, actor, address, action, outcome } = event
    const target = event.target ?? targets(named)
    const key = named ? JSON.stringify([actor ?? address, action, outcome, target]) : event
    const same = known.get(key)
    known.set(key, same ? { ...same, count: same.count + event.count } : { ...event, target })
  }
  return [...known.values()]
}

/** Finds the ids of all named accounts with one query. */
async function findTargets(trx: Kysely<Tables>, database: Database, events: readonly PendingEvent[]) {
  const ids = new Map<string, string>()
  const find = async (column: 'id' | 'username_key', values: readonly string[]) => {
    if (values.length === 0) return
    const isMeant = isAmong(database, column, values)
    const users = await trx.selectFrom('users').select(['id', column]).where(isMeant).execute()
    for (const user of users) ids.set(user[column], user.id)
  }
  const abouts = events.flatMap(({ named }) => (named && canBe(named) ? named : []))
  await find('id', [...new Set(abouts.flatMap((who) => ('id' in who ? who.id : [])))])
  await find('username_key', [...new Set(abouts.flatMap((who) => ('id' in who ? [] : who.username.toLowerCase())))])
  // Ids are longer than any username, so the two cannot collide.
  return (who: Who | null) => (who && canBe(who) && ids.get('id' in who ? who.id : who.username.toLowerCase())) || null
}

/** PostgreSQL stores neither NUL nor an unpaired surrogate: one text with either would block the whole batch. */
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
