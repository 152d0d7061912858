import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Notice } from '../../src/status/publication.ts'
import { createPublisher } from '../../src/status/publisher.ts'
import { createPushQueue } from '../../src/status/push-queue.ts'
import type { Outcome, StatusPage } from '../../src/status/status-page.ts'
import { fakeClock } from '../support/clock.ts'

const [mostAtOnce, mostRepeatsAtOnce] = [12, 4]
const accepted: Outcome = { kind: 'accepted' }

const noticeOf = (componentId: string, sequence = 1): Notice => ({
  componentId,
  status: 'operational',
  previousStatus: null,
  source: 'heartbeat',
  reportedAt: 0,
  incidentId: null,
  sequence,
})
const ids = (count: number) => Array.from({ length: count }, (_, index) => `other-${index}`)
/** Lets everything run that does not wait for the page. */
const turn = () => new Promise((go) => setImmediate(go))

/** A page that responds on demand; `sent` has `id sequence` of each request in order. */
function stage() {
  const sent: string[] = []
  const answers = new Map<string, PromiseWithResolvers<Outcome>>()
  const page: Pick<StatusPage, 'push'> = {
    push({ componentId, sequence }) {
      const name = `${componentId} ${sequence}`
      sent.push(name)
      const answer = Promise.withResolvers<Outcome>()
      answers.set(name, answer)
      return answer.promise
    },
  }
  const publisher = createPublisher(page, createPushQueue(fakeClock()))
  const end = async (name: string, act: (answer: PromiseWithResolvers<Outcome>) => void) => {
    act(answers.get(name) ?? assert.fail(`${name} was not sent`))
    answers.delete(name)
    await turn()
  }
  return {
    publisher,
    sent,
    push: (id: string, sequence = 1) => publisher.push(id, async () => noticeOf(id, sequence)),
    repeat: (id: string, sequence = 1) => publisher.repeat(id, () => noticeOf(id, sequence)),
    answer: (name: string, outcome = accepted) => end(name, ({ resolve }) => resolve(outcome)),
    breakOff: (name: string) => end(name, ({ reject }) => reject(new TypeError('a secret'))),
    async answerAll() {
      for (const name of [...answers.keys()]) await end(name, ({ resolve }) => resolve(accepted))
    },
  }
}

describe('A push', () => {
  it('waits for a repetition of its component that is in flight', async () => {
    const { publisher, sent, push, repeat, answer } = stage()
    const repeated = repeat('api', 1)
    const pushed = push('api', 2)
    await turn()
    assert.deepEqual(sent, ['api 1'])
    await answer('api 1')
    assert.deepEqual(sent, ['api 1', 'api 2'])
    assert.equal(await repeat('api', 3), null, 'it is under way now')
    await answer('api 2')
    assert.deepEqual(await repeated, { sent: noticeOf('api', 1), outcome: accepted })
    assert.deepEqual(await pushed, { sent: noticeOf('api', 2), outcome: accepted })
    assert.equal(publisher.underWay, 0)
  })

  it('does not wait for a repetition of another component', async () => {
    const { sent, push, repeat, answerAll } = stage()
    const repeats = ids(mostRepeatsAtOnce + 1).map((id) => repeat(id))
    const pushed = push('api')
    await turn()
    assert.ok(sent.includes('api 1'))
    await answerAll()
    await answerAll()
    await Promise.all([pushed, ...repeats])
  })

  it('takes one of twelve permits in order of arrival, and reads its notice then', async () => {
    const { publisher, sent, push, answer, answerAll } = stage()
    const first = ids(mostAtOnce).map((id) => push(id))
    let sequence = 1
    const later = ['a', 'b'].map((id) => publisher.push(id, async () => noticeOf(id, sequence)))
    await turn()
    assert.deepEqual([sent.length, publisher.underWay], [mostAtOnce, mostAtOnce + 2])
    sequence = 7
    await answer('other-5 1')
    assert.deepEqual(sent.slice(mostAtOnce), ['a 7'])
    await answer('a 7')
    assert.deepEqual(sent.slice(mostAtOnce), ['a 7', 'b 7'])
    await answerAll()
    await Promise.all([...first, ...later])
    assert.deepEqual([publisher.underWay, publisher.outcomes.push], [0, { accepted: 14, failed: 0, uncertain: 0 }])
  })

  it('without a notice does nothing but release its permit', async () => {
    const { publisher, sent, push, answer } = stage()
    const nothings = ids(mostAtOnce + 1).map((id) => publisher.push(id, async () => null))
    for (const told of await Promise.all(nothings)) assert.equal(told, null)
    assert.deepEqual([sent, publisher.underWay], [[], 0])
    const pushed = push('api')
    await turn()
    await answer('api 1')
    await pushed
    assert.deepEqual(publisher.outcomes.push, { accepted: 1, failed: 0, uncertain: 0 })
  })

  it('whose notice fails rejects, sends nothing and releases its permit', async () => {
    const { publisher, sent, push, answer } = stage()
    const full = () => Promise.reject(new Error('full'))
    const broken = ids(mostAtOnce + 1).map((id) => publisher.push(id, full))
    for (const { status } of await Promise.allSettled(broken)) assert.equal(status, 'rejected')
    assert.deepEqual([sent, publisher.underWay], [[], 0])
    const pushed = ['api', 'other-0'].map((id) => push(id))
    await turn()
    assert.deepEqual(sent, ['api 1', 'other-0 1'])
    for (const name of sent) await answer(name)
    await Promise.all(pushed)
  })
})

describe('A page that throws', () => {
  it('counts as uncertain, without the error text, and the permit is released', async () => {
    const { publisher, sent, push, repeat, answer, breakOff } = stage()
    const outcome = { kind: 'uncertain', reason: 'broken: TypeError' }
    const pushes = ids(mostAtOnce).map((id) => push(id))
    const pushed = push('api')
    await turn()
    for (const name of [...sent]) await breakOff(name)
    for (const told of await Promise.all(pushes)) assert.deepEqual(told?.outcome, outcome)
    await answer('api 1')
    assert.deepEqual((await pushed)?.outcome, accepted)
    const repeats = ids(mostRepeatsAtOnce).map((id) => repeat(id, 2))
    const repeated = repeat('api', 2)
    for (const id of ids(mostRepeatsAtOnce)) await breakOff(`${id} 2`)
    for (const told of await Promise.all(repeats)) assert.deepEqual(told?.outcome, outcome)
    await answer('api 2')
    assert.deepEqual((await repeated)?.outcome, accepted)
    assert.deepEqual(publisher.outcomes, {
      push: { accepted: 1, failed: 0, uncertain: mostAtOnce },
      repeat: { accepted: 1, failed: 0, uncertain: mostRepeatsAtOnce },
    })
  })
})

describe('A repetition', () => {
  it('is not sent beside a push of its component that is in flight or queued', async () => {
    const { sent, push, repeat, answerAll } = stage()
    const pushes = [...ids(mostAtOnce), 'waiting'].map((id) => push(id))
    await turn()
    assert.deepEqual([await repeat('other-0', 2), await repeat('waiting', 2)], [null, null])
    assert.equal(sent.length, mostAtOnce)
    await answerAll()
    await answerAll()
    await Promise.all(pushes)
    assert.equal(sent.length, mostAtOnce + 1)
  })

  it('is not sent beside a push that came while it was queued', async () => {
    const { sent, push, repeat, answer, answerAll } = stage()
    const repeats = ids(mostRepeatsAtOnce).map((id) => repeat(id))
    const repeated = repeat('api', 1)
    const pushed = push('api', 2)
    await turn()
    await answer('other-0 1')
    assert.equal(await repeated, null)
    assert.deepEqual(sent.slice(mostRepeatsAtOnce), ['api 2'])
    await answerAll()
    await Promise.all([...repeats, pushed])
  })

  it('is queued once, however often it is requested, and again after it was sent', async () => {
    const { sent, repeat, answer, answerAll } = stage()
    const repeats = ids(mostRepeatsAtOnce).map((id) => repeat(id))
    const first = repeat('api', 1)
    const second = repeat('api', 2)
    await answer('other-0 1')
    await answer('api 1')
    await answer('other-1 1')
    assert.deepEqual(sent.slice(mostRepeatsAtOnce), ['api 1'])
    assert.deepEqual([(await first)?.outcome, await second], [accepted, null])
    const third = repeat('api', 3)
    await answer('api 3')
    assert.deepEqual((await third)?.outcome, accepted)
    await answerAll()
    await Promise.all(repeats)
  })

  it('takes one of four permits, which pushes do not use', async () => {
    const { publisher, sent, push, repeat, answer, answerAll } = stage()
    const pushes = ids(mostAtOnce).map((id) => push(id))
    await turn()
    sent.splice(0)
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const repeats = names.map((id) => repeat(id))
    await turn()
    assert.deepEqual(sent, ['a 1', 'b 1', 'c 1', 'd 1'])
    await answer('c 1', { kind: 'failed', reason: 'answered 500', retryAfterMs: 0 })
    assert.deepEqual(sent.slice(4), ['e 1'])
    await answerAll()
    await answerAll()
    await Promise.all([...pushes, ...repeats])
    assert.deepEqual(publisher.outcomes.repeat, { accepted: 5, failed: 1, uncertain: 0 })
  })

  it('without a notice sends and counts nothing, and releases its permit', async () => {
    const { publisher, sent, repeat, answer } = stage()
    const nothings = ids(mostRepeatsAtOnce + 1).map((id) => publisher.repeat(id, () => null))
    for (const told of await Promise.all(nothings)) assert.equal(told, null)
    assert.deepEqual([sent, publisher.underWay], [[], 0])
    const repeated = repeat('api')
    await answer('api 1')
    await repeated
    assert.deepEqual(publisher.outcomes.repeat, { accepted: 1, failed: 0, uncertain: 0 })
  })
})

describe('A publisher that is closed', () => {
  it('waits for pushes in flight and for queued ones', async () => {
    const { publisher, push, repeat, answer, answerAll } = stage()
    const told = [...[...ids(mostAtOnce), 'waiting'].map((id) => push(id)), repeat('api', 2)]
    await turn()
    let isClosed = false
    const closing = publisher.close(10_000).then(() => {
      isClosed = true
    })
    await answerAll()
    assert.equal(isClosed, false)
    await answer('waiting 1')
    await closing
    assert.equal(publisher.underWay, 0)
    await Promise.all(told)
  })

  it('waits no longer than asked', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { publisher, push, answer } = stage()
    const pushed = push('api')
    await turn()
    let isClosed = false
    const closing = publisher.close(1_000).then(() => {
      isClosed = true
    })
    t.mock.timers.tick(999)
    await turn()
    assert.equal(isClosed, false)
    t.mock.timers.tick(1)
    await closing
    assert.equal(publisher.underWay, 1)
    await answer('api 1')
    await pushed
  })
})
