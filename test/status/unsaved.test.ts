import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sqliteKeeper } from '../../src/drivers/status-state/sqlite.ts'
import { Refused } from '../../src/http/refusal.ts'
import { createLogs } from '../../src/lib/logger.ts'
import type { Notice } from '../../src/status/component.ts'
import { createPublisher } from '../../src/status/publisher.ts'
import { createSaver } from '../../src/status/saver.ts'
import type { StateStore } from '../../src/status/state-store.ts'
import type { Outcome, StatusPage } from '../../src/status/status-page.ts'
import { createWorker } from '../../src/status/worker.ts'
import { fakeClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'

const timeoutMs = 60_000
const everyMs = 10_000
const turn = () => new Promise((go) => setImmediate(go))
const settled = async () => {
  for (let turns = 0; turns < 5; turns++) await turn()
}

/** The worker on a real state that can be made to fail, with a page and a clock that do what they are told. */
async function stage() {
  const folder = temporaryFolder()
  const clock = fakeClock()
  const keeper = sqliteKeeper({ dataDir: folder.path })
  const real = await keeper.acquire(new AbortController().signal, assert.fail)
  const disk = { isFull: false, gate: Promise.resolve() }
  const store: StateStore = {
    ...real,
    async save(changes) {
      await disk.gate
      if (disk.isFull) throw new Error('full')
      await real.save(changes)
    },
  }
  const pushed: Notice[] = []
  const answers: ((outcome: Outcome) => void)[] = []
  const page: StatusPage = {
    kind: 'test',
    repeatEveryMs: null,
    covers: () => true,
    push(notice) {
      pushed.push(notice)
      return new Promise((resolve) => answers.push(resolve))
    },
    look: () => assert.fail(),
    close: async () => {},
  }
  const { log } = createLogs('fatal', clock)
  const worker = createWorker({
    store,
    known: [],
    saver: createSaver(store, () => {}),
    publisher: createPublisher(page),
    page,
    rules: { publishesSilence: true, newId: () => `incident-${clock.monotonic()}` },
    pageName: () => 'a page',
    timing: { heartbeatTimeoutMs: timeoutMs, maintenanceTimeoutMs: timeoutMs, checkIntervalMs: everyMs, pushWaitMs: 0 },
    mostComponents: 3,
    clock,
    log,
  })
  return {
    ...{ clock, disk, store, pushed, worker },
    answer: (outcome: Outcome) => answers.shift()?.(outcome),
    beat: async (id: string, status: 'operational' | 'outage' | 'degraded' = 'operational') => {
      try {
        await worker.heartbeat(id, status)
        return 200
      } catch (error) {
        if (error instanceof Refused) return error.refusal.status
        throw error
      }
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += everyMs) {
        clock.advance(everyMs)
        worker.sweep()
        await settled()
      }
    },
    async end() {
      for (const resolve of answers) resolve({ kind: 'accepted' })
      await worker.stop()
      await keeper.close()
      folder.remove()
    },
  }
}

const incidentsOf = (store: StateStore) => store.incidents({ componentId: null, isOpen: null, most: 9 })

describe('What could not be saved', () => {
  it('is no sign of life: an incident stays open, and nothing is told', async () => {
    const { disk, store, pushed, worker, answer, beat, pass, end } = await stage()
    await beat('a')
    answer({ kind: 'accepted' })
    await pass(timeoutMs)
    answer({ kind: 'accepted' })
    await settled()
    const before = worker.find('a')
    assert.deepEqual([before?.publishedStatus, pushed.length], ['outage', 2])
    disk.isFull = true
    assert.deepEqual([await beat('a'), await beat('a', 'degraded'), await beat('b')], [503, 503, 503])
    assert.equal(worker.find('a'), before)
    assert.deepEqual([worker.components().length, pushed.length], [1, 2])
    disk.isFull = false
    assert.equal(await beat('a'), 200)
    const [incident] = await incidentsOf(store)
    assert.ok(incident?.resolvedAt)
    await end()
  })

  it('blames nobody for the time in which nobody could be heard', async () => {
    const { disk, store, worker, beat, pass, end } = await stage()
    await beat('a')
    disk.isFull = true
    for (let minutes = 0; minutes < 5; minutes++) {
      assert.equal(await beat('a', 'outage'), 503)
      await pass(timeoutMs)
    }
    disk.isFull = false
    worker.sweep()
    assert.equal(await beat('a', 'outage'), 200)
    assert.deepEqual(await incidentsOf(store), [])
    await pass(2 * timeoutMs)
    assert.equal((await incidentsOf(store)).length, 1, 'it looks for silence again')
    await end()
  })

  it('is a silence that is found again, and dated at its deadline', async () => {
    const { clock, disk, store, beat, pass, end } = await stage()
    const startedAt = clock.now() + timeoutMs
    await beat('a')
    await pass(timeoutMs - everyMs)
    disk.isFull = true
    await pass(5 * everyMs)
    assert.deepEqual(await incidentsOf(store), [])
    disk.isFull = false
    await pass(2 * everyMs)
    const [incident, ...others] = await incidentsOf(store)
    assert.deepEqual([incident?.startedAt, others], [startedAt, []])
    await end()
  })

  it('is what follows an answer of the page; the answer itself is kept and saved later', async () => {
    const { disk, store, pushed, worker, answer, beat, end } = await stage()
    await beat('a')
    await beat('a', 'outage')
    disk.isFull = true
    answer({ kind: 'accepted' })
    await settled()
    const { publishedStatus, isPushing } = worker.find('a') ?? assert.fail()
    assert.deepEqual([publishedStatus, isPushing, pushed.length], ['operational', false, 1])
    disk.isFull = false
    assert.equal(await beat('a', 'outage'), 200)
    assert.equal(pushed.at(-1)?.status, 'outage')
    assert.deepEqual(
      (await store.load()).map((each) => each.publishedStatus),
      ['operational'],
    )
    await end()
  })
})

describe('While a change of a component is being saved', () => {
  it('a further heartbeat waits, and is refused with it only if it cannot be saved itself', async () => {
    const { disk, worker, beat, end } = await stage()
    await beat('a')
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    disk.isFull = true
    const first = beat('a', 'outage')
    await settled()
    const second = beat('a', 'outage')
    const third = beat('a')
    assert.equal(worker.find('a')?.lastReportedStatus, 'operational', 'nobody sees what is not saved')
    resolve()
    assert.deepEqual(await Promise.all([first, second, third]), [503, 503, 503])
    assert.equal(worker.find('a')?.lastReportedStatus, 'operational')
    await end()
  })

  it('there is no place for more than the limit, and a refused one keeps none', async () => {
    const { disk, worker, beat, end } = await stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    const beats = Array.from({ length: 8 }, (_, n) => beat(`c${n}`))
    resolve()
    const answers = await Promise.all(beats)
    assert.deepEqual(answers.toSorted(), [200, 200, 200, 429, 429, 429, 429, 429])
    assert.equal(worker.components().length, 3)
    await worker.retire(worker.components()[0]?.id ?? '')
    disk.isFull = true
    assert.equal(await beat('new'), 503)
    disk.isFull = false
    assert.deepEqual([await beat('other'), await beat('new')], [200, 429])
    await end()
  })
})

describe('A component that was retired and comes again', () => {
  it('has no push with a number that it had before', async () => {
    const { pushed, answer, worker, beat, end } = await stage()
    for (const status of ['operational', 'outage', 'operational'] as const) {
      await beat('a', status)
      answer({ kind: 'accepted' })
      await settled()
    }
    await worker.retire('a')
    await beat('a')
    assert.deepEqual(
      pushed.map(({ sequence }) => sequence),
      [1, 2, 3, 4],
    )
    await end()
  })
})
