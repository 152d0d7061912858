import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  endPush,
  isOutdated,
  isReassertDue,
  type Notice,
  newPublication,
  type Publication,
  type PushEnd,
  pushState,
  restartedPublications,
  startPush,
  type Target,
  type Unknown,
  withoutFailure,
} from '../../src/status/publication.ts'
import type { Status } from '../../src/status/statuses.ts'

const page = (name: string, more: Partial<Target> = {}): Target => ({ name, page: name, isAlert: false, ...more })
const now = { wall: 1_000_000, monotonic: 50_000 }
const notice = (status: Status, previousStatus: Status | null = 'operational'): Notice => ({
  componentId: 'db',
  status,
  source: 'heartbeat',
  reportedAt: 1,
  incidentId: null,
  message: null,
  previousStatus,
  sequence: 4,
})
const publication = (more: Partial<Publication> = {}): Publication => ({
  ...newPublication(page('a'), 4),
  publishedStatus: 'operational',
  ...more,
})
const idle = { kind: 'idle' } as const
const retry = { failures: 2, failedAt: { wall: now.wall - 10_000, monotonic: now.monotonic - 10_000 } }
const waits = { ...retry, waitMs: 60_000, heartbeatWaitMs: 9 }
const waiting = (status: Status) => ({ kind: 'waiting', notice: notice(status), ...waits }) as const
const unknown = (status: Status): Unknown => ({ kind: 'unknown', notice: notice(status), ...waits })
type Before = Parameters<typeof endPush>[1]['before']

const failed = (retryAfterMs = 0, jitter = 0, more: object = {}): PushEnd => ({
  kind: 'failed',
  retryAfterMs,
  jitter,
  ...more,
})
const uncertain: PushEnd = { kind: 'uncertain', jitter: 0 }
const ended = (end: PushEnd, before: Before = idle, sent = notice('degraded'), more: Partial<Publication> = {}) =>
  endPush(publication(more), { kind: 'sending', notice: sent, before }, end, now)
const retryOf = (...given: Parameters<typeof ended>) => {
  const { push } = ended(...given)
  return push.kind === 'waiting' || push.kind === 'unknown' ? push : assert.fail(push.kind)
}

describe('A push that was not accepted', () => {
  it('waits 5 s, 15 s, 60 s, then every 5 minutes, by 5 to 20 % longer and 15 s at most', () => {
    for (const [failures, waitMs] of [
      [0, 5_000],
      [1, 15_000],
      [2, 60_000],
      [3, 300_000],
      [9, 300_000],
    ] as const)
      for (const [jitter, more] of [
        [0, 0.05],
        [0.5, 0.125],
        [1, 0.2],
      ] as const) {
        const before = failures === 0 ? idle : { ...waiting('degraded'), failures, waitMs: 10_000 }
        const found = retryOf(failed(0, jitter), before)
        const longer = Math.min(waitMs, 75_000) * more
        assert.deepEqual([found.failures, found.waitMs, found.failedAt], [failures + 1, waitMs + longer, now])
      }
  })

  it('waits for what the page asks, an hour at most; heartbeats only after a 429, and a minute at most', () => {
    for (const [asked, waitMs] of [
      [30_000, 31_500],
      [3_600_000, 3_603_750],
      [3_600_001, 3_603_750],
    ] as const)
      for (const isThrottled of [undefined, false, true]) {
        const found = retryOf(failed(asked, 0, { isThrottled }))
        assert.equal(found.waitMs, waitMs)
        assert.equal(found.heartbeatWaitMs, isThrottled ? Math.min(asked, 60_000) : 0)
      }
    assert.equal(retryOf(uncertain).heartbeatWaitMs, 0)
  })

  it('keeps its wait if a heartbeat retried it earlier, unless the page asks for another', () => {
    const { kind: _, notice: __, ...kept } = waiting('degraded')
    for (const end of [failed(), uncertain]) {
      const { kind, notice: sent, ...its } = retryOf(end, waiting('degraded'))
      assert.deepEqual([its, kind], [kept, end === uncertain ? 'unknown' : 'waiting'])
      assert.equal(sent.status, 'degraded')
    }
    assert.deepEqual([retryOf(failed(1_000), waiting('degraded')).failures], [3])
    // Another status has waits of its own.
    assert.deepEqual([retryOf(failed(), waiting('outage')).failures], [1])
  })

  it('may be repeated if it is not known whether it arrived, and only then', () => {
    assert.deepEqual(retryOf(uncertain).notice, { ...notice('degraded'), mayRepeat: true })
    assert.deepEqual(retryOf(failed()).notice, notice('degraded'))
    assert.deepEqual([retryOf(uncertain).kind, retryOf(failed()).kind], ['unknown', 'waiting'])
    assert.equal(retryOf(failed(), unknown('degraded')).kind, 'unknown')
    // A page is no alert channel, which would be told of an outage in any case.
    assert.equal(retryOf(failed(), idle, notice('outage')).kind, 'waiting')
  })

  it('returns to what was before if it was never sent', () => {
    const before = waiting('outage')
    assert.equal(ended({ kind: 'overtaken' }, before).push, before)
    assert.equal(ended({ kind: 'overtaken' }, idle).push, idle)
    const doubted = unknown('outage')
    assert.deepEqual(ended({ kind: 'overtaken' }, doubted).push, { ...doubted, notice: notice('degraded') })
  })
})

describe('A reassertion', () => {
  const again = notice('operational')

  it('is due a minute after a doubt is over, and again after one that failed; what else is pushed does not change that', () => {
    const of = (...given: Parameters<typeof ended>) => ended(...given).reassertAt
    const minute = now.monotonic + 60_000
    assert.equal(of({ kind: 'accepted' }, unknown('degraded')), minute)
    assert.equal(of(failed(), idle, again, { reassertAt: 7 }), minute)
    assert.equal(of({ kind: 'accepted' }, idle, again, { reassertAt: 7 }), null)
    for (const end of [{ kind: 'accepted' } as const, failed(), uncertain])
      assert.equal(of(end, idle, notice('degraded'), { reassertAt: 7 }), 7, end.kind)
    assert.equal(of(failed(), unknown('operational'), again, { reassertAt: 7 }), 7)
    const sending = { kind: 'sending', notice: again, before: unknown('operational') } as const
    assert.equal(endPush(publication({ reassertAt: 7 }), sending, { kind: 'accepted' }, now, true).reassertAt, 7)
  })

  it('is of what the page shows, and of nothing that it no longer has', () => {
    const due = publication({ reassertAt: 7 })
    assert.deepEqual(
      [6, 7].map((at) => isReassertDue(due, 'operational', at)),
      [false, true],
    )
    assert.equal(isReassertDue(due, 'degraded', 7), false)
    assert.equal(isReassertDue(publication(), 'operational', 7), false)
    assert.equal(isReassertDue({ ...due, page: null }, 'operational', 7), false)
    assert.deepEqual([isOutdated(due, 'degraded'), isOutdated({ ...due, page: null }, 'degraded')], [true, false])
    const doubted = { ...due, push: unknown('degraded') }
    assert.deepEqual(
      [isOutdated(doubted, 'operational'), isOutdated({ ...doubted, page: null }, 'degraded')],
      [true, false],
    )
  })
})

describe('A failure', () => {
  it('no longer matters once nothing is to be pushed, except for the pause that the page asked for', () => {
    const of = (push: Publication['push'], status: Status) =>
      withoutFailure(publication({ push }), status, now.monotonic)
    const rested = { ...waiting('degraded'), heartbeatWaitMs: 10_000 }
    assert.deepEqual(of(rested, 'operational').push, idle)
    assert.equal(of({ ...rested, heartbeatWaitMs: 10_001 }, 'operational').push.kind, 'waiting')
    assert.equal(of(rested, 'degraded').push, rested)
    assert.equal(of(unknown('degraded'), 'operational').push.kind, 'unknown')
  })
})

describe('After a restart', () => {
  const restarted = (publications: readonly Publication[], ...targets: readonly Target[]) =>
    restartedPublications(publications, targets, now)

  it('a push that was in flight may have arrived, and is retried at once', () => {
    const push = { kind: 'sending', notice: notice('degraded'), before: waiting('degraded') } as const
    const sent = { ...notice('degraded'), mayRepeat: true }
    assert.deepEqual(restarted([publication({ push })], page('a'))[0]?.push, {
      kind: 'unknown',
      notice: sent,
      failures: 0,
      failedAt: now,
      waitMs: 0,
      heartbeatWaitMs: 0,
    })
  })

  it('what failed waits on by the wall clock, or anew if that was set back', () => {
    const failedAt = (wall: number) => {
      const push = { ...waiting('degraded'), failedAt: { wall, monotonic: 9_999_999 } }
      const [after] = restarted([publication({ push })], page('a'))
      return after?.push.kind === 'waiting' ? after.push.failedAt : assert.fail()
    }
    assert.deepEqual(failedAt(now.wall - 7_000), { wall: now.wall - 7_000, monotonic: now.monotonic - 7_000 })
    for (const ahead of [0, 1, 7_000]) assert.deepEqual(failedAt(now.wall + ahead), now)
    assert.equal(restarted([publication()], page('a'))[0]?.push.kind, 'idle')
  })

  it('a reassertion is due within a minute, if there was one', () => {
    const due = [7, null].map((reassertAt) => restarted([publication({ reassertAt })], page('a'))[0]?.reassertAt)
    assert.deepEqual(due, [now.monotonic + 60_000, null])
  })

  it('a target that is new, or has another page, has been told nothing, and counts on from the highest number', () => {
    const [a, b] = [publication(), publication({ target: 'b', page: 'b', sequence: 9 })]
    assert.deepEqual(restarted([a, b], page('a'), page('b'), page('c')), [a, b, newPublication(page('c'), 9)])
    const moved = page('a', { page: 'elsewhere' })
    assert.deepEqual(restarted([a, b], page('b'), moved), [newPublication(moved, 4), b])
    assert.deepEqual(restarted([], page('a')), [newPublication(page('a'), 0)])
    const alert = page('mail', { isAlert: true })
    assert.deepEqual(
      [newPublication(alert, 1).publishedStatus, newPublication(page('a'), 1).publishedStatus],
      ['operational', null],
    )
  })

  it('a target that is no longer configured keeps only its number', () => {
    const gone = publication({ push: waiting('degraded'), reassertAt: 7 })
    assert.deepEqual(restarted([gone]), [
      { target: 'a', page: null, publishedStatus: null, sequence: 4, reassertAt: null, push: idle },
    ])
  })
})

describe('What is shown of a push', () => {
  it('is unknown only if it may have been accepted: an outage that a channel refused waits', () => {
    const sending = startPush(publication({ publishedStatus: 'operational' }), notice('outage'), now.monotonic)
    assert.ok(sending)
    const shown = (kind: 'failed' | 'uncertain', isAlert: boolean) => {
      const end = kind === 'failed' ? { kind, retryAfterMs: 0, jitter: 0 } : { kind, jitter: 0 }
      return pushState(endPush(sending, sending.push, end, now, isAlert), isAlert)
    }
    assert.deepEqual([shown('failed', true), shown('failed', false)], ['waiting', 'waiting'])
    assert.deepEqual([shown('uncertain', true), shown('uncertain', false)], ['unknown', 'unknown'])
    assert.equal(pushState(sending, true), 'sending')
    const doubtful = publication({ publishedStatus: 'operational', push: unknown('outage') })
    const newer = startPush(doubtful, notice('degraded'), now.monotonic)
    assert.ok(newer)
    const refused = endPush(newer, newer.push, failed(), now)
    assert.equal(pushState(refused, false), 'unknown', 'the page may show the outage')
  })
})
