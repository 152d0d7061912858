import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Caller } from '../../src/accounts/caller.ts'
import { call, fail, journalStage as stage } from './journal-stage.ts'

const forbidden = { status: 403, message: 'Forbidden' }

describe('A refused attempt', () => {
  it('is an event with its time, actor, address, target and outcome', async (t) => {
    const { journal, clock, tried, pass } = stage(t)
    journal.refused(call(), forbidden)
    clock.advance(100)
    journal.refused(call({ target: null }), { status: 500, message: 'Failed' })
    await pass(900)
    const known = {
      actor: 'ann',
      address: '10.0.0.1',
      requestId: 'request',
      action: 'ban',
      count: 1,
      before: null,
      after: null,
    }
    const first = { ...known, named: null, id: 'id-1', happenedAt: 0, outcome: 'refused: Forbidden', target: 'bob' }
    const second = { ...known, named: null, id: 'id-2', happenedAt: 100, outcome: 'failed: Failed', target: null }
    assert.deepEqual(tried, [{ counts: [], events: [first, second] }])
  })

  it('is recorded for known users, and for strangers only with wrong credentials; never for a dry run or a route without audit', async (t) => {
    const { journal, tried } = stage(t)
    const strangers = { userId: null }
    const refuse = (statuses: readonly number[], ...of: Parameters<typeof call>) => {
      for (const status of statuses) journal.refused(call(...of), { status, message: 'No' })
    }
    refuse([400, 404, 413, 429, 500, 503], strangers)
    refuse([401, 403], null)
    refuse([403], {}, { route: { audit: null } })
    refuse([404], {}, { route: null })
    refuse([429])
    refuse([400, 404], {}, { query: { dryRun: true } })
    await journal.flush()
    assert.equal(tried.length, 0)
    refuse([401, 403], strangers)
    refuse([400, 401, 403, 404, 500], {}, { query: undefined })
    refuse([400], {}, { query: { dryRun: false } })
    await journal.flush()
    const kept = tried[0]?.events ?? []
    assert.equal(
      kept.reduce((sum, { count }) => sum + count, 0),
      8,
    )
  })

  it('is one event with its repetitions until it is written, whatever happens between them', async (t) => {
    const { journal, clock, tried } = stage(t)
    const refuse = (changes: Parameters<typeof call>[0]) =>
      journal.refused(call(changes), { status: 403, message: 'No' })
    for (let time = 0; time < 250; time++) {
      refuse({ requestId: `request-${time}`, address: `10.0.0.${time}` })
      refuse({ target: 'cem' })
      clock.advance(1)
    }
    refuse({})
    await journal.flush()
    refuse({ requestId: 'later' })
    await journal.flush()
    assert.deepEqual(
      tried.map(({ events }) => events.map((event) => [event.target, event.count, event.requestId, event.happenedAt])),
      [
        [
          ['bob', 251, 'request-0', 0],
          ['cem', 250, 'request', 0],
        ],
        [['bob', 1, 'later', 250]],
      ],
    )
    assert.equal(tried[0]?.events[0]?.address, '10.0.0.0')
  })

  it('is kept among at most 10,000 different ones; a system event counts the missing ones', async (t) => {
    const { journal, tried, logged } = stage(t)
    const refuse = (target: string) => journal.refused(call({ target }), { status: 403, message: 'No' })
    for (let target = 0; target < 10_000; target++) refuse(`target-${target}`)
    assert.equal(journal.pendingEvents, 10_000)
    for (let target = 0; target < 10_007; target++) refuse(`target-${target}`)
    await journal.flush()
    refuse('target-0')
    await journal.flush()
    const [{ events } = { events: [] }, later] = tried
    assert.deepEqual([events.length, later?.events.length], [10_001, 1])
    assert.equal(new Set(events.map(({ target }) => target)).size, 10_001)
    const { id: _, happenedAt: __, ...missing } = events.at(-1) ?? fail()
    assert.deepEqual(missing, {
      actor: 'system',
      address: null,
      requestId: null,
      action: 'audit.missing',
      target: null,
      count: 7,
      outcome: 'failed: 7 refused attempts are missing',
      before: null,
      after: null,
    })
    assert.deepEqual(logged(), [['warn', 'too many different refused attempts in one second: some are not audited', 7]])
  })

  it('records the name it contains if that was not looked up, failed or refused', async (t) => {
    const { journal, tried } = stage(t)
    const named = { username: 'Bob' }
    journal.refused(call({ target: null, named }), { status: 500, message: 'Failed' })
    journal.refused(call({ target: null, named }), { status: 400, message: 'Invalid role provided' })
    journal.refused(call({ target: null }), { status: 404, message: 'User not found' })
    const noted = call({ target: null, named })
    ;(noted.actor as Caller).noteTarget('bob')
    journal.refused(noted, { status: 500, message: 'Failed' })
    await journal.flush()
    assert.deepEqual(
      tried[0]?.events.map((event) => [event.target, event.named]),
      [
        [null, named],
        [null, named],
        [null, null],
        ['bob', null],
      ],
    )
  })
})
