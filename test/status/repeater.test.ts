import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Notice } from '../../src/status/publication.ts'
import { createRepeater } from '../../src/status/repeater.ts'
import type { Outcome } from '../../src/status/status-page.ts'
import { fakeClock } from '../support/clock.ts'

const everyMs = 20_000
const longestRetryAfterMs = 60_000
const accepted: Outcome = { kind: 'accepted' }
const uncertain: Outcome = { kind: 'uncertain', reason: 'no answer' }
const refused = (retryAfterMs: number): Outcome => ({ kind: 'failed', reason: 'answered 429', retryAfterMs })

const noticeOf = (componentId: string): Notice => ({
  componentId,
  status: 'operational',
  previousStatus: 'operational',
  source: 'heartbeat',
  reportedAt: 0,
  incidentId: null,
  sequence: 1,
})
const turn = () => new Promise((go) => setImmediate(go))

/** A publisher whose outcomes wait for a gate. */
function stage(outcome: Outcome = accepted) {
  const clock = fakeClock()
  const asked: string[] = []
  const told: string[] = []
  const quiet = new Set<string>()
  const page = { outcome, gate: Promise.resolve() }
  const repeater = createRepeater({
    async repeat(componentId, current) {
      asked.push(componentId)
      await page.gate
      const notice = current()
      return notice && { sent: notice, outcome: page.outcome }
    },
    clock,
    everyMs,
    noticeOf: (componentId) => (quiet.has(componentId) ? null : noticeOf(componentId)),
    onRepeated: ({ sent: notice, outcome: { kind } }) => void told.push(`${notice.componentId} ${kind}`),
  })
  return {
    clock,
    told,
    quiet,
    page,
    repeater,
    /** The components repeated after that time. */
    async due(afterMs: number, ids = ['api']) {
      clock.advance(afterMs)
      for (const id of ids) repeater.repeatIfDue(id)
      await turn()
      return asked.splice(0)
    },
  }
}

describe('The published status', () => {
  it('is repeated when it is due, and not before', async () => {
    const { told, due } = stage()
    assert.deepEqual(await due(0), ['api'])
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await due(everyMs - 1), [])
      assert.deepEqual(await due(1), ['api'])
      assert.deepEqual(await due(0), [])
    }
    assert.equal(told.join(), Array(4).fill('api accepted').join())
  })

  it('is repeated for each component on its own schedule, whatever the wall clock says', async () => {
    const { clock, due } = stage()
    assert.deepEqual(await due(0, ['api']), ['api'])
    assert.deepEqual(await due(5_000, ['api', 'db']), ['db'])
    clock.advance(-3_600_000)
    assert.deepEqual(await due(everyMs - 5_000, ['api', 'db']), ['api'])
    assert.deepEqual(await due(5_000, ['api', 'db']), ['db'])
  })

  it('is not repeated while there is none, and at once when there is', async () => {
    const { quiet, due } = stage()
    await due(0)
    quiet.add('api')
    assert.deepEqual(await due(everyMs), [])
    assert.deepEqual(await due(1_000), [])
    quiet.delete('api')
    assert.deepEqual(await due(1_000), ['api'])
    assert.deepEqual(await due(everyMs - 1), [])
  })

  it('is not repeated if it is outdated when its turn comes', async () => {
    const { quiet, told, page, due } = stage()
    const gate = Promise.withResolvers<void>()
    page.gate = gate.promise
    assert.deepEqual(await due(0), ['api'])
    quiet.add('api')
    gate.resolve()
    await turn()
    assert.deepEqual(told, [])
  })

  it('is due again on schedule whatever the outcome, unless the page sent a Retry-After', async () => {
    for (const outcome of [accepted, uncertain, refused(0)]) {
      const { told, due } = stage(outcome)
      await due(0)
      assert.deepEqual(told, [`api ${outcome.kind}`])
      assert.deepEqual(await due(everyMs - 1), [], outcome.kind)
      assert.deepEqual(await due(1), ['api'], outcome.kind)
    }
  })

  it('is due on schedule if Retry-After is shorter', async () => {
    for (const retryAfterMs of [1_000, everyMs]) {
      const { page, due } = stage(refused(retryAfterMs))
      const gate = Promise.withResolvers<void>()
      page.gate = gate.promise
      await due(0)
      assert.deepEqual(await due(5_000), [])
      gate.resolve()
      await turn()
      assert.deepEqual(await due(everyMs - 5_001), [], String(retryAfterMs))
      assert.deepEqual(await due(1), ['api'], String(retryAfterMs))
    }
  })

  it('is delayed by a longer Retry-After, counted from the response, a minute at most', async () => {
    for (const [retryAfterMs, waitMs] of [
      [everyMs + 10_000, everyMs + 10_000],
      [longestRetryAfterMs, longestRetryAfterMs],
      [86_400_000, longestRetryAfterMs],
    ] as const) {
      const { page, due } = stage(refused(retryAfterMs))
      const gate = Promise.withResolvers<void>()
      page.gate = gate.promise
      await due(0)
      assert.deepEqual(await due(3_000), [])
      gate.resolve()
      await turn()
      assert.deepEqual(await due(waitMs - 1), [], String(retryAfterMs))
      page.outcome = accepted
      assert.deepEqual(await due(1), ['api'], String(retryAfterMs))
      assert.deepEqual(await due(everyMs - 1), [])
      assert.deepEqual(await due(1), ['api'])
    }
  })

  it('is delayed by any other push that the page accepted', async () => {
    const { repeater, due } = stage()
    repeater.heard('api')
    assert.deepEqual(await due(everyMs - 1), [])
    repeater.heard('api')
    assert.deepEqual(await due(everyMs - 1), [])
    assert.deepEqual(await due(1), ['api'])
  })
})

describe('A component that is forgotten', () => {
  it('is due at once when it is registered again', async () => {
    const { repeater, due } = stage()
    await due(0, ['api', 'db'])
    repeater.forget('api')
    assert.deepEqual(await due(1, ['api', 'db']), ['api'])
  })

  it('is due at once even if a Retry-After arrived after that', async () => {
    const { page, repeater, due } = stage(refused(longestRetryAfterMs))
    const gate = Promise.withResolvers<void>()
    page.gate = gate.promise
    await due(0)
    repeater.forget('api')
    gate.resolve()
    await turn()
    assert.deepEqual(await due(1), ['api'])
  })
})
