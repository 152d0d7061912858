import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atRate } from '../../bench/load/arrivals.ts'

/** Sleeping takes `lateMs` longer than asked, as a busy machine does. */
function stage(lateMs = 0) {
  let now = 1000
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      now += ms + lateMs
    },
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { clock, pass }
}

describe('The open loop of a load', () => {
  it('makes each call when it is due, and none more', async () => {
    const { clock } = stage()
    const calls: [number, number, number][] = []
    const call = async (dueAt: number, index: number) => void calls.push([index, dueAt, clock.now()])
    await atRate({ perSecond: 4, durationMs: 1000, call, clock })
    const due = [1000, 1250, 1500, 1750]
    assert.deepEqual(
      calls,
      due.map((at, index) => [index, at, at]),
    )
  })

  it('catches up when it was late, and says when each call was due', async () => {
    const { clock, pass } = stage()
    const calls: [number, number][] = []
    const call = async (dueAt: number, index: number) => {
      calls.push([dueAt, clock.now()])
      if (index === 1) pass(600)
    }
    await atRate({ perSecond: 10, durationMs: 1000, call, clock })
    assert.equal(calls.length, 10)
    assert.deepEqual(calls.slice(1, 9), [
      [1100, 1100],
      ...[1200, 1300, 1400, 1500, 1600, 1700].map((dueAt) => [dueAt, 1700]),
      [1800, 1800],
    ])
  })

  it('keeps its rate when every timer is late', async () => {
    const { clock } = stage(7)
    const late: number[] = []
    const call = async (dueAt: number) => void late.push(clock.now() - dueAt)
    await atRate({ perSecond: 100, durationMs: 1000, call, clock })
    assert.equal(late.length, 100)
    assert.ok(Math.max(...late) <= 7, String(late))
    assert.equal(clock.now() < 2000 + 7, true)
  })

  it('waits for no earlier call, and for all of them at the end', async () => {
    const { clock } = stage()
    const answers: (() => void)[] = []
    const call = () => new Promise<void>((resolve) => answers.push(resolve))
    let isOver = false
    const load = atRate({ perSecond: 10, durationMs: 500, call, clock }).then(() => {
      isOver = true
    })
    while (answers.length < 5) await Promise.resolve()
    for (const answer of answers.slice(0, 4)) answer()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isOver, false)
    answers[4]?.()
    await load
  })

  it('ends at the first call that fails, with its error', async () => {
    const { clock } = stage()
    let calls = 0
    const call = async () => {
      calls += 1
      if (calls === 3) throw new Error('the third')
    }
    await assert.rejects(atRate({ perSecond: 10, durationMs: 10_000, call, clock }), /the third/)
    assert.ok(calls < 10, String(calls))
  })
})
