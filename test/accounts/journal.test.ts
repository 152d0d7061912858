import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call, fail, settled, journalStage as stage } from './journal-stage.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const today = '2026-06-01'
const forbidden = { status: 403, message: 'Forbidden' }

/** Lets one write start and blocks it there. */
function held(act: { write: () => unknown }) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  act.write = () => {
    act.write = () => {}
    return promise
  }
  return { release: resolve, reject: () => reject(new Error('away')) }
}

const row = (userId: string, day: string, [auth = 0, admin = 0, images = 0]: readonly number[]) => {
  return { userId, day, auth, admin, images }
}

describe('Request counts', () => {
  it('are summed by user and group, and written 900 ms after the first', async (t) => {
    const { journal, tried, pass } = stage(t)
    journal.count('ann', 'auth')
    await pass(600)
    for (const counter of ['auth', 'admin', 'images', 'images'] as const) journal.count('ann', counter)
    journal.count('bob', 'images')
    await pass(299)
    assert.equal(tried.length, 0)
    await pass(1)
    assert.deepEqual(tried, [{ counts: [row('ann', today, [2, 1, 2]), row('bob', today, [0, 0, 1])], events: [] }])
  })

  it('belong to the UTC day of the clock, even if it is set back', async (t) => {
    const { journal, clock, tried } = stage(t, Date.parse('2026-02-28T23:59:59.999Z'))
    for (const ms of [0, 1, dayMs - 1, 1, -1, -1, -dayMs, dayMs + 1]) {
      clock.advance(ms)
      journal.count('ann', 'auth')
    }
    journal.count('bob', 'images')
    await journal.flush()
    assert.equal(tried.length, 1)
    assert.deepEqual(tried[0]?.counts, [
      row('ann', '2026-02-28', [2]),
      row('ann', '2026-03-01', [5]),
      row('bob', '2026-03-01', [0, 0, 1]),
      row('ann', '2026-03-02', [1]),
    ])
  })
})

describe('The journal', () => {
  it('sets no timer while nothing is pending', async (t) => {
    const { journal, tried, pass, timed } = stage(t)
    await pass(10_000)
    await journal.flush()
    assert.deepEqual([timed(), tried.length], [0, 0])
    for (let count = 0; count < 5; count++) journal.count('ann', 'auth')
    journal.count('bob', 'auth')
    journal.refused(call(), forbidden)
    assert.equal(timed(), 1)
    await pass(10_900)
    assert.deepEqual([timed(), tried.length], [1, 1])
    journal.count('ann', 'auth')
    await pass(900)
    assert.deepEqual([timed(), tried.length], [2, 2])
  })

  it('keeps what could not be written, and retries all of it after 900 ms, nothing twice', async (t) => {
    const { journal, tried, batches, act, pass, logged } = stage(t)
    act.write = fail
    journal.count('ann', 'auth')
    journal.refused(call({ requestId: 'first' }), forbidden)
    await pass(900)
    assert.deepEqual(logged(), [
      ['error', 'request counts and refused attempts could not be written; they are kept and retried', undefined],
    ])
    journal.count('ann', 'auth')
    journal.count('bob', 'images')
    journal.refused(call({ requestId: 'second' }), forbidden)
    await pass(899)
    assert.equal(tried.length, 1)
    await pass(1)
    act.write = () => {}
    await pass(10_900)
    // The same batch until its write succeeds, since it may already be written; then what came meanwhile.
    assert.equal(tried.length, 4)
    assert.equal(new Set(batches.slice(0, 3)).size, 1)
    const [first = fail(), , again, rest] = tried
    assert.deepEqual(again, first)
    assert.deepEqual(first.counts, [row('ann', today, [1])])
    assert.deepEqual(rest?.counts, [row('ann', today, [1]), row('bob', today, [0, 0, 1])])
    assert.deepEqual(
      [...first.events, ...(rest?.events ?? [])].map(({ requestId }) => requestId),
      ['first', 'second'],
    )
  })

  it('rejects a flush and those queued behind it with the error of the write: nobody waits twice', async (t) => {
    const { journal, tried, act } = stage(t)
    const { reject } = held(act)
    journal.count('ann', 'auth')
    const first = journal.flush()
    journal.count('ann', 'images')
    const second = journal.flush()
    reject()
    await assert.rejects(first, /away/)
    await assert.rejects(second, /away/)
    assert.equal(tried.length, 1)
    await journal.flush()
    assert.deepEqual(
      tried.slice(1).map(({ counts }) => counts),
      [[row('ann', today, [1])], [row('ann', today, [0, 0, 1])]],
    )
  })

  it('resolves a flush after all earlier changes are written, even during a write', async (t) => {
    const { journal, tried, act } = stage(t)
    const { release } = held(act)
    const done: string[] = []
    journal.count('ann', 'auth')
    const first = journal.flush().then(() => done.push('first'))
    journal.count('bob', 'auth')
    const others = ['second', 'third', 'fourth'].map((name) => journal.flush().then(() => done.push(name)))
    await settled()
    assert.deepEqual([tried.length, done], [1, []])
    release()
    await Promise.all([first, ...others])
    const written = tried.map(({ counts }) => counts)
    assert.deepEqual(written, [[row('ann', today, [1])], [row('bob', today, [1])]])
  })

  it('writes one batch at a time, even if a flush follows another at once', async (t) => {
    const { journal, tried, act } = stage(t)
    const { release } = held(act)
    journal.count('ann', 'auth')
    const second = Promise.withResolvers<void>()
    const again = journal.flush().then(() => {
      act.write = () => second.promise
      return journal.flush()
    })
    journal.count('bob', 'auth')
    let isOver = false
    const waiting = journal.flush().then(() => (isOver = true))
    release()
    await settled()
    assert.deepEqual([tried.length, isOver], [2, false])
    second.resolve()
    await Promise.all([again, waiting])
    assert.equal(tried.length, 2)
  })

  it('writes everything pending on close, even during a write, and sets no timer after it', async (t) => {
    const { journal, tried, act, pass, timed } = stage(t)
    const { release } = held(act)
    journal.count('ann', 'auth')
    void journal.flush()
    journal.count('bob', 'auth')
    const closed = journal.close()
    release()
    await closed
    assert.equal(tried.length, 2)
    journal.count('eve', 'auth')
    journal.refused(call(), forbidden)
    await pass(10_000)
    assert.deepEqual([tried.length, timed()], [2, 1])
  })

  it('closes although the last write fails, logs it, and does not retry', async (t) => {
    const { journal, tried, act, pass, timed, logged } = stage(t)
    act.write = fail
    journal.count('ann', 'auth')
    await journal.close()
    await pass(10_000)
    assert.deepEqual([tried.length, timed()], [1, 1])
    assert.deepEqual(logged(), [
      ['error', 'the last request counts and refused attempts could not be written', undefined],
    ])
  })
})

describe('Deletion of old records', () => {
  it('happens at most once an hour, and not before the clock has been read for two hours', async (t) => {
    const { journal, clock, forgotten } = stage(t, Date.parse('2026-06-10T22:00:00.000Z'))
    const write = async (ms: number) => {
      clock.advance(ms)
      journal.count('ann', 'auth')
      await journal.flush()
    }
    for (const ms of [0, hourMs]) await write(ms)
    assert.equal(forgotten.length, 0)
    for (const ms of [hourMs, hourMs - 1, 1]) await write(ms)
    const before = (now: string) => ({ day: '2026-06-01', eventAgeMs: 100 * dayMs, now: Date.parse(now) })
    assert.deepEqual(forgotten, [before('2026-06-11T00:00:00.000Z'), before('2026-06-11T01:00:00.000Z')])
  })

  it('deletes half a minute after the start, as of the newest event at most, and logs how many', async (t) => {
    const { clock, wall, forgotten, act, pass, logged } = stage(t)
    act.newest = clock.now() - hourMs
    wall.aheadMs = 365 * dayMs
    await pass(30_000)
    await settled()
    assert.deepEqual(
      forgotten.map(({ now, eventAgeMs }) => [now, eventAgeMs]),
      [[act.newest, 100 * dayMs]],
    )
    assert.match(String(logged()[0]?.[1]), /^deleted audit events and usage that AUDIT_KEEP_DAYS/)
  })

  it('deletes nothing more if the clock once reads a year ahead', async (t) => {
    const { journal, clock, wall, forgotten } = stage(t)
    for (const ahead of [0, 0, 0, 365 * dayMs, 0]) {
      wall.aheadMs = ahead
      clock.advance(hourMs)
      journal.count('ann', 'auth')
      await journal.flush()
    }
    const start = Date.parse('2026-06-01T12:00:00.000Z')
    assert.deepEqual(
      forgotten.map(({ now }) => now - start),
      [3 * hourMs, 4 * hourMs, 5 * hourMs],
    )
  })

  it('may fail: what was written stays written, and the failure is logged', async (t) => {
    const { journal, clock, tried, act, logged } = stage(t)
    act.forget = fail
    for (let hours = 0; hours < 3; hours++) {
      journal.count('ann', 'auth')
      await journal.flush()
      clock.advance(hourMs)
    }
    await settled()
    assert.equal(tried.length, 3)
    assert.deepEqual(logged(), [['error', 'old usage and audit records could not be deleted', undefined]])
  })
})
