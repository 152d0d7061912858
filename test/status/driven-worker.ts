import assert from 'node:assert/strict'
import { sqliteLease } from '../../src/drivers/status-state/sqlite.ts'
import { Refused } from '../../src/http/refusal.ts'
import { createLogs } from '../../src/process/logger.ts'
import { tickMs } from '../../src/status/deadlines.ts'
import type { Notice } from '../../src/status/publication.ts'
import { createPublisher } from '../../src/status/publisher.ts'
import { type Budget, createPushQueue } from '../../src/status/push-queue.ts'
import { createSaver } from '../../src/status/saver.ts'
import type { Heartbeat } from '../../src/status/schedule.ts'
import type { StateStore } from '../../src/status/state-store.ts'
import type { Outcome, StatusPage } from '../../src/status/status-page.ts'
import type { Status } from '../../src/status/statuses.ts'
import { createWorker } from '../../src/status/worker.ts'
import { fakeClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'

export const timeoutMs = 60_000
export const everyMs = 10_000
export const target = { name: 'default', page: 'a page', isAlert: false }
/** Who sends the changes. */
export const sender = { requestId: '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e5', address: '192.0.2.1' }
const turn = () => new Promise((go) => setImmediate(go))
export const settled = async () => {
  for (let turns = 0; turns < 5; turns++) await turn()
}

interface Spec {
  readonly maxComponents?: number
  readonly repeatEveryMs?: number
  readonly keepsStatus?: boolean
  readonly pushWaitMs?: number
  readonly isAlert?: boolean
  readonly budget?: Budget | null
  readonly groupMs?: number
  readonly flapMs?: number
}

/** The worker on a real state that can be made to fail, with a scripted page and a fake clock. */
export async function drivenWorker({
  maxComponents = 100,
  repeatEveryMs,
  keepsStatus = false,
  pushWaitMs = 0,
  isAlert = false,
  budget = null,
  groupMs = 0,
  flapMs = 0,
}: Spec = {}) {
  const folder = temporaryFolder()
  const fake = fakeClock()
  const wall = { steppedMs: 0 }
  const clock = { ...fake, now: () => fake.now() + wall.steppedMs }
  const lease = sqliteLease({ dataDir: folder.path })
  const real = await lease.acquire(new AbortController().signal, assert.fail)
  const disk = { isFull: false, isFullOnce: false, isOurs: true, gate: Promise.resolve() }
  const write = async () => {
    await disk.gate
    if (disk.isFull || disk.isFullOnce) {
      disk.isFullOnce = false
      throw new Error('full')
    }
  }
  const store: StateStore = {
    ...real,
    holdsLease: () => disk.isOurs && real.holdsLease(),
    async save(changes) {
      await write()
      await real.save(changes)
    },
    async addUptime(rows) {
      await write()
      await real.addUptime(rows)
    },
    async savePublished(...change) {
      await write()
      await real.savePublished(...change)
    },
    async deleteWritten(...change) {
      await write()
      await real.deleteWritten(...change)
    },
    async retire(...change) {
      await write()
      return real.retire(...change)
    },
  }
  const pushed: Notice[] = []
  const messages: (readonly Notice[])[] = []
  let made = 0
  const answers: ((outcome: Outcome) => void)[] = []
  const page: StatusPage = {
    kind: 'test',
    address: 'https://status.test',
    repeatEveryMs: repeatEveryMs ?? null,
    keepsStatus,
    isAlert,
    budget,
    covers: () => true,
    push(...notices) {
      pushed.push(...notices)
      messages.push(notices)
      return new Promise((resolve) => answers.push(resolve))
    },
    probe: () => assert.fail(),
    test: () => assert.fail(),
    close: async () => {},
  }
  const lines: string[] = []
  const { log } = createLogs('info', clock, { write: (line) => lines.push(line), flush() {} })
  const worker = createWorker({
    store,
    known: [],
    windows: [],
    recurring: [],
    announcements: [],
    writtenIncidents: [],
    saver: createSaver({ store, onFailure() {}, onRecovery() {} }),
    channels: [{ name: target.name, page, publisher: createPublisher(page, createPushQueue(clock, budget)) }],
    rules: { publishesSilence: true, flapMs, startGraceMs: 120_000, newId: () => `incident-${made++}` },
    timeoutsOf: () => ({ timeoutMs, maintenanceTimeoutMs: 10 * timeoutMs, configured: null }),
    targetsOf: () => [{ ...target, isAlert }],
    checkIntervalMs: everyMs,
    pushWaitMs,
    groupMs,
    random: () => 0,
    maxComponents,
    clock,
    log,
  })
  return {
    clock,
    wall,
    disk,
    store,
    pushed,
    messages,
    worker,
    logged: (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line)),
    answer: (outcome: Outcome) => answers.shift()?.(outcome),
    beat: async (id: string, status: Status = 'operational', more: Omit<Heartbeat, 'status'> = {}) => {
      try {
        await worker.heartbeat(id, { status, ...more })
        return 200
      } catch (error) {
        if (error instanceof Refused) return error.refusal.status
        throw error
      }
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += tickMs) {
        clock.advance(tickMs)
        worker.tick()
        await settled()
      }
    },
    async end() {
      for (const resolve of answers) resolve({ kind: 'accepted' })
      await worker.stop()
      await lease.close()
      folder.remove()
    },
  }
}
