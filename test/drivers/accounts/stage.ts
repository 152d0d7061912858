import { before } from 'node:test'
import { type AuditEvent, cliOrigin } from '../../../src/accounts/audit.ts'
import type { CountRow } from '../../../src/accounts/counts.ts'
import type { Directory } from '../../../src/accounts/directory.ts'
import type { Batch, JournalStore } from '../../../src/accounts/journal.ts'
import type { Account, Act, Users, Values } from '../../../src/accounts/users.ts'
import { type Database, withServiceClock } from '../../../src/drivers/accounts/database.ts'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import { createUserStore } from '../../../src/drivers/accounts/user-store.ts'
import { createIds, type NewId } from '../../../src/lib/ids.ts'
import { created } from '../../support/account-editor.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import type { Store } from '../../support/stores.ts'

export const newId = createIds(fakeClock())
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** An account to insert; `banned` exactly if it has a ban. */
export const accountOf = (username: string, more: Partial<Omit<Account, 'banned'>> = {}): Account => ({
  id: newId(),
  username,
  role: 'user',
  banned: Boolean(more.ban),
  ban: null,
  passwordHash: `hash of ${username}`,
  tokenHash: `token of ${username}`,
  createdAt: 1_780_000_000_000,
  updatedAt: 1_780_000_000_001,
  ...more,
})

/** To be written before the clock advances, so that each event keeps its time. */
export const batchOf = (
  counts: readonly CountRow[],
  events: readonly AuditEvent[] = [],
  clock = fakeClock(),
): Batch => ({
  id: newId(),
  counts,
  events: events.map(({ at, ...event }) => ({ ...event, happenedAt: clock.monotonic() - (clock.now() - at) })),
})

export interface Ports {
  readonly users: Users
  readonly directory: Directory
  readonly journal: JournalStore
}

export function portsOf(real: Database, deps = { clock: fakeClock(), newId: newId as NewId }): Ports {
  const database = withServiceClock(real)
  return {
    users: createUserStore(database, deps),
    directory: createDirectory(database, deps),
    journal: createJournalStore(database, deps),
  }
}

/** For a `describe`: an empty database with its ports and its own clock, dropped at the end. */
export interface Stage extends Ports {
  clock: FakeClock
  place: Awaited<ReturnType<Store['make']>>
  database: Database
  insert(account: Account): Promise<Account>
  /** Writes these values, as the tool would. */
  write(id: string, values: Values, more?: Partial<Act>): ReturnType<Users['change']>
  /** The audit events of that account, newest first, without its insert. */
  eventsOf(target: string): Promise<AuditEvent[]>
}

export function withDatabase(store: Store): Stage {
  const stage = { clock: fakeClock() } as Stage
  before(async () => {
    stage.place = await store.make()
    stage.database = withServiceClock(await stage.place.open())
    Object.assign(stage, portsOf(stage.database, { clock: stage.clock, newId }))
  })
  stage.insert = async (account) => {
    if (!(await stage.users.insert(account, created))) throw new Error(`the name ${account.username} is taken`)
    return account
  }
  stage.write = (id, values, more) =>
    stage.users.change({ action: 'role', by: cliOrigin, target: { id }, ...more }, ({ target }) => target && { values })
  stage.eventsOf = async (target) =>
    (await stage.directory.events({ target, before: null, limit: 1_000 })).filter(({ action }) => action !== 'create')
  return stage
}
