import type { TestContext } from 'node:test'
import { Caller } from '../../src/accounts/caller.ts'
import { type Batch, createJournal, type JournalStore } from '../../src/accounts/journal.ts'
import type { Call } from '../../src/http/call.ts'
import { createLogs } from '../../src/process/logger.ts'
import { fakeClock } from '../support/clock.ts'

/** A journal over a store that keeps what it is given, with a stopped clock. */
export function journalStage(t: TestContext, startAt?: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const timed = t.mock.method(globalThis, 'setTimeout')
  const fake = fakeClock(startAt)
  const wall = { aheadMs: 0 }
  const clock = { ...fake, now: () => fake.now() + wall.aheadMs }
  const tried: Omit<Batch, 'id'>[] = []
  const batches: string[] = []
  const forgotten: Parameters<JournalStore['forget']>[0][] = []
  const lines: string[] = []
  /** What the store does before it returns. */
  const act: { write: () => unknown; forget: () => unknown; newest: number | null } = {
    write() {},
    forget() {},
    newest: null,
  }
  const store: JournalStore = {
    async write({ id, counts, events }) {
      batches.push(id)
      tried.push({ counts, events })
      await act.write()
    },
    async copy() {},
    async forget(before) {
      forgotten.push(before)
      await act.forget()
      return { events: 3, usageDays: 0 }
    },
    newestEventAt: async () => act.newest,
  }
  let ids = 0
  const newId = () => `id-${++ids}`
  const { log } = createLogs('debug', clock, { write: (line) => lines.push(line), flush() {} })
  const journal = createJournal({ store, clock, newId, log, keepUsageDays: 10, keepAuditDays: 100 })
  const pass = async (ms: number) => {
    clock.advance(ms)
    t.mock.timers.tick(ms)
    await settled()
  }
  const logged = () => lines.map((line) => JSON.parse(line)).map(({ level, msg, missing }) => [level, msg, missing])
  /** Only the journal's timers: other code in this process sets timers, too. */
  const timers = () => timed.mock.calls.filter(({ arguments: [, ms] }) => ms === 900).length
  return { journal, clock, wall, tried, batches, forgotten, act, pass, logged, timed: timers }
}

export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
export const fail = () => {
  throw new Error('away')
}

type Attempt = Partial<Pick<Caller, 'userId' | 'target' | 'named' | 'address' | 'requestId'>>

/** A request to an audited route, by default by ann about bob. */
export function call(by: Attempt | null = {}, changes: Partial<Record<keyof Call, unknown>> = {}): Call {
  const { address = '10.0.0.1', requestId = 'request', userId = 'ann', target = 'bob', named = null } = by ?? {}
  const actor = by && Object.assign(new Caller({ address, requestId }, userId), { target, named })
  return { route: { audit: 'ban' }, query: {}, actor, ...changes } as unknown as Call
}
