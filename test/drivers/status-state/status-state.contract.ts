import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import type { ChangeRecord } from '../../../src/status/audit.ts'
import { type Component, next, type Rules } from '../../../src/status/component.ts'
import type { Notice, Publication } from '../../../src/status/publication.ts'
import type { StateStore, UptimeRange } from '../../../src/status/state-store.ts'
import { statuses } from '../../../src/status/statuses.ts'
import { noResponses, noTimes } from '../../../src/status/uptime.ts'
import { anyCodePoint, assertProperty } from '../../support/seed.ts'
import {
  allIncidents,
  changesOf,
  componentOf,
  type Held,
  incidentOf,
  movedTo,
  type StatePlace,
  type StateStage,
  unnumbered,
} from './stage.ts'

const rules: Rules = {
  timeouts: { timeoutMs: 180_000, maintenanceTimeoutMs: 14_400_000, configured: null },
  targets: [{ name: 'default', page: 'https://status.test', isAlert: false }],
  publishesSilence: true,
  startGraceMs: 120_000,
  newId: () => assert.fail(),
}

const status = fc.constantFrom(...statuses)
const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { noNullPrototype: true })
const message = orNull(fc.string({ unit: 'grapheme' }))
const notice = record<Notice>({
  componentId: id,
  status,
  previousStatus: orNull(status),
  source: fc.constantFrom('heartbeat', 'silence'),
  reportedAt: time,
  incidentId: orNull(fc.uuid()),
  sequence: fc.nat(),
})
const monotonic = fc.double({ noNaN: true, noDefaultInfinity: true })
const idle = record({ kind: fc.constant('idle') })
const retry = {
  notice,
  failures: fc.nat(),
  failedAt: record({ wall: time, monotonic }),
  waitMs: fc.nat(),
  heartbeatWaitMs: fc.nat(),
}
const waiting = record({ kind: fc.constant('waiting'), ...retry })
const unknown = record({ kind: fc.constant('unknown'), ...retry })
const sending = record({ kind: fc.constant('sending'), notice, before: fc.oneof(idle, waiting, unknown) })
const component: fc.Arbitrary<Component> = record<Component>({
  id,
  lastHeartbeatAt: fc.constant(0),
  aliveAt: time,
  changedAt: time,
  upAt: time,
  downAt: time,
  lastReportedStatus: status,
  instances: fc.array(record({ instance: id, status, reportedAt: time, deadline: monotonic })),
  message,
  exitCode: orNull(fc.integer({ min: 0, max: 255 })),
  runs: fc.array(
    record({ id: fc.uuid(), rid: orNull(id), startedAt: time, overlaps: fc.boolean(), deadline: monotonic }),
  ),
  lastRun: fc.constant(null),
  incident: orNull(record({ id: fc.uuid(), startedAt: time, detectedAt: time, lastReportedStatus: status, message })),
  maintenanceId: orNull(fc.uuid()),
  schedule: record({
    cron: orNull(record({ expression: fc.constant('0 3 * * 1-5'), tz: fc.constant('Europe/Berlin') })),
    timeoutMs: orNull(fc.nat()),
    graceMs: orNull(fc.nat()),
    maintenanceTimeoutMs: orNull(fc.nat()),
    maxRunMs: orNull(fc.nat()),
  }),
  deadline: monotonic,
  retiredAs: orNull(status),
  upSince: monotonic,
  publications: fc.array(
    record<Publication>({
      target: fc.constantFrom('default', 'pager'),
      page: orNull(fc.string({ unit: anyCodePoint })),
      publishedStatus: orNull(status),
      sequence: fc.nat(),
      reassertAt: orNull(monotonic),
      push: fc.oneof(idle, waiting, unknown, sending) as fc.Arbitrary<Publication['push']>,
    }),
    { maxLength: 3 },
  ),
})

/** The contract of the state store, for both databases. */
export function stateContract(stage: StateStage): void {
  describe(`the worker's state on ${stage.name}`, { skip: stage.skip }, () => {
    let place: StatePlace
    let held: Held
    let store: StateStore
    before(async () => {
      place = await stage.make()
      held = await place.acquire()
      store = held.store
    })
    after(async () => {
      await held.close()
      await place.drop()
    })
    beforeEach(async () => {
      for (const each of await store.load()) await store.retire(each.id, 0, 0, null)
      const resolved = (await allIncidents(store)).map((each) => ({ incidentId: each.id, at: 0 }))
      await store.save(changesOf({ resolved }))
      await store.forget(Number.MAX_SAFE_INTEGER)
    })

    const reopen = async () => {
      await held.close()
      held = await place.acquire()
      store = held.store
    }
    const everything = async () => {
      const components = await store.load()
      const transitions = await Promise.all(
        components.map(async (each) => unnumbered(await store.transitions(each.id, { limit: 100 }))),
      )
      return { components, transitions, incidents: unnumbered(await allIncidents(store)) }
    }
    const idsOf = async (which: Partial<Parameters<StateStore['incidents']>[0]>) =>
      (await store.incidents({ componentId: null, isOpen: null, limit: 100, ...which })).map((each) => each.id)

    it('starts empty, with a source that never changes', async () => {
      assert.match(store.source, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      assert.deepEqual(await everything(), { components: [], transitions: [], incidents: [] })
      const { source } = store
      await reopen()
      assert.equal(store.source, source)
    })

    it('loads any component as it was saved last', async () => {
      await assertProperty(
        fc.asyncProperty(fc.uniqueArray(component, { selector: (each) => each.id, maxLength: 8 }), async (all) => {
          await store.save(changesOf({ components: all }))
          const loaded = new Map((await store.load()).map((each) => [each.id, each]))
          const now = { wall: 1, monotonic: 5 }
          for (const each of all)
            assert.deepEqual(
              next(loaded.get(each.id) ?? assert.fail(), { kind: 'start' }, now, rules),
              next(each, { kind: 'start' }, now, rules),
            )
        }),
        { numRuns: 60 },
      )
    })

    it('is there for the next one that opens it, with components sorted by id', async () => {
      const components = ['b', 'A', 'a-b', 'a.b', 'a1', 'Z'].map((name, sequence) => componentOf(name, { sequence }))
      await store.save(changesOf({ components }))
      await store.save(
        changesOf({
          opened: [{ componentId: 'b', incident: incidentOf('one') }],
          moved: [{ componentId: 'b', transition: movedTo('outage', 7) }],
        }),
      )
      const saved = await everything()
      await reopen()
      assert.deepEqual(await everything(), saved)
      assert.deepEqual(
        saved.components.map((each) => each.id),
        ['A', 'Z', 'a-b', 'a.b', 'a1', 'b'],
      )
    })

    it('saves all of a change or nothing', async () => {
      await store.save(changesOf({ components: [componentOf('a')] }))
      const saved = await everything()
      const torn = changesOf({
        components: [componentOf('a', { sequence: 9 }), componentOf('b')],
        opened: [{ componentId: 'a', incident: incidentOf('torn') }],
        moved: [{ componentId: 'a', transition: { ...movedTo('outage', 7), to: null as never } }],
      })
      await assert.rejects(store.save(torn))
      assert.deepEqual(await everything(), saved)
      await store.save(changesOf({ components: [componentOf('b')] }))
    })

    it('has an incident and a component once, however often it is saved', async () => {
      const opened = ['one', 'two'].map((name) => ({ componentId: 'a', incident: incidentOf(name) }))
      const resolved = [
        { incidentId: 'one', at: 50 },
        { incidentId: 'nobody-knows', at: 50 },
      ]
      const changes = changesOf({ components: [componentOf('a', { sequence: 2 })], opened, resolved })
      await store.save(changes)
      const saved = await everything()
      await store.save(changes)
      assert.deepEqual(await everything(), saved)
      await store.save({
        components: [componentOf('a', { sequence: 1 }), ...changes.components],
        opened: [...opened, ...opened],
        resolved: [...resolved, { incidentId: 'one', at: 99 }],
        moved: [],
        audited: [],
      })
      assert.deepEqual(await everything(), saved)
    })

    it('has every transition, even identical ones, newest first whatever the clock said', async () => {
      const moves = [
        movedTo('operational', 5),
        movedTo('outage', 5, 'operational'),
        movedTo('operational', 5, 'outage'),
        movedTo('outage', 5, 'operational'),
        movedTo('operational', 2, 'outage'),
        { ...movedTo('outage', 1, 'operational'), cause: 'silence', message: 'ünd "so"\n\t🦊' } as const,
      ]
      const moved = moves.map((transition) => ({ componentId: 'a', transition }))
      await store.save(changesOf({ components: [componentOf('a')], moved: moved.slice(0, 4) }))
      await store.save(changesOf({ moved: moved.slice(4) }))
      assert.deepEqual(unnumbered(await store.transitions('a', { limit: 9 })), moves.toReversed())
    })

    it('resolves an incident once, in the save that opened it or in a later one', async () => {
      const opened = [{ componentId: 'a', incident: incidentOf('one') }]
      await store.save(changesOf({ opened, resolved: [{ incidentId: 'one', at: 20 }] }))
      await store.save(changesOf({ opened: [{ componentId: 'a', incident: incidentOf('two') }] }))
      await store.save(changesOf({ opened, resolved: [{ incidentId: 'two', at: 30 }] }))
      await store.save(changesOf({ resolved: ['one', 'two'].map((incidentId) => ({ incidentId, at: 40 })) }))
      assert.deepEqual(
        (await allIncidents(store)).map((each) => [each.id, each.resolvedAt]),
        [
          ['two', 30],
          ['one', 20],
        ],
      )
    })

    it('finds incidents by component and state, newest first, and transitions', async () => {
      const incidents = [...'abcdef'].map((name, n) => ({
        componentId: n % 2 === 0 ? 'even' : 'odd',
        incident: incidentOf(name, 100 + (n % 3)),
      }))
      const resolved = ['a', 'b', 'c'].map((incidentId) => ({ incidentId, at: 500 }))
      const moved = [3, 1, 2].map((at) => ({ componentId: 'even', transition: movedTo('partial', at) }))
      await store.save(changesOf({ opened: incidents, resolved, moved }))
      assert.deepEqual(await idsOf({}), ['f', 'e', 'd', 'c', 'b', 'a'])
      assert.deepEqual(await idsOf({ limit: 2 }), ['f', 'e'])
      assert.deepEqual(await idsOf({ componentId: 'even' }), ['e', 'c', 'a'])
      assert.deepEqual(await idsOf({ isOpen: true }), ['f', 'e', 'd'])
      assert.deepEqual(await idsOf({ isOpen: false }), ['c', 'b', 'a'])
      assert.deepEqual(await idsOf({ componentId: 'odd', isOpen: true, limit: 1 }), ['f'])
      assert.deepEqual(await idsOf({ componentId: 'nobody' }), [])
      const [first] = unnumbered(await store.incidents({ componentId: 'odd', isOpen: null, limit: 1 }))
      assert.deepEqual(first, { ...incidentOf('f', 102), componentId: 'odd', resolvedAt: null })
      const [newest, ...others] = unnumbered(await store.transitions('even', { limit: 2 }))
      assert.deepEqual([newest, others.map(({ at }) => at)], [movedTo('partial', 2), [1]])
      assert.deepEqual(await store.transitions('odd', { limit: 2 }), [])
    })

    it('pages through incidents and transitions, whatever is added and deleted meanwhile', async () => {
      const opened = ['a', 'b', 'c', 'd', 'e'].map((name, n) => ({
        componentId: n === 1 ? 'other' : 'c',
        incident: incidentOf(name),
      }))
      const moved = [5, 3, 4, 1, 2].map((at) => ({ componentId: 'c', transition: movedTo('partial', at) }))
      await store.save(changesOf({ opened, moved }))
      const which = { componentId: 'c', isOpen: true, limit: 2 }
      const first = await store.incidents(which)
      const firstMoves = await store.transitions('c', { limit: 3 })
      await store.save(
        changesOf({
          opened: [{ componentId: 'c', incident: incidentOf('newer') }],
          resolved: [{ incidentId: 'd', at: 9 }],
          moved: [{ componentId: 'c', transition: movedTo('partial', 9) }],
        }),
      )
      const second = await store.incidents({ ...which, before: first[1]?.number ?? null })
      assert.deepEqual(
        [first, second].map((page) => page.map(({ id }) => id)),
        [
          ['e', 'd'],
          ['c', 'a'],
        ],
      )
      assert.deepEqual(await store.incidents({ ...which, before: second[1]?.number ?? null }), [])
      const secondMoves = await store.transitions('c', { before: firstMoves[2]?.number ?? null, limit: 3 })
      assert.deepEqual(
        [firstMoves, secondMoves].map((page) => page.map(({ at }) => at)),
        [
          [2, 1, 4],
          [3, 5],
        ],
      )
    })

    it('has recurring maintenance with its windows, all or nothing, until it ended long ago', async () => {
      const one = {
        id: 'weekly',
        components: ['a'],
        cron: { expression: '0 3 * * 0', tz: 'Europe/Berlin' },
        durationMs: 60_000,
        text: 'Disks',
        createdAt: 1_000,
        endedAt: null,
      }
      const window = { id: 'w', components: ['a'], from: 5_000, until: 65_000, text: 'Disks', endedAt: null }
      const windows = [{ ...window, changedAt: 1_000, recurringId: one.id }]
      await store.savePublished({ recurring_maintenance: [one], maintenance: windows }, null)
      await assert.rejects(
        store.savePublished(
          {
            recurring_maintenance: [{ ...one, endedAt: 9 }],
            maintenance: [{ ...window, id: null as unknown as string }],
          },
          null,
        ),
      )
      await reopen()
      assert.deepEqual(
        [await store.published('recurring_maintenance'), await store.published('maintenance')],
        [[one], windows],
      )
      await store.forget(1e9)
      assert.equal((await store.published('recurring_maintenance')).length, 1, 'it has not ended')
      await store.savePublished({ recurring_maintenance: [{ ...one, endedAt: 2_000 }] }, null)
      await store.forget(2_000)
      assert.equal((await store.published('recurring_maintenance')).length, 1)
      await store.forget(2_001)
      assert.deepEqual(await store.published('recurring_maintenance'), [])
    })

    it('has every maintenance window as it was saved last, until it is over and old', async () => {
      const window = { id: 'w', components: ['a', 'ü'], from: 5, until: 100, text: 'ünd "so"', endedAt: null }
      for (const each of [window, { ...window, id: 'later', until: 101 }, { ...window, until: 9_999, endedAt: 50 }])
        await store.savePublished({ maintenance: [each] }, null)
      await reopen()
      const byId = (await store.published('maintenance')).toSorted((a, b) => (a.id < b.id ? -1 : 1))
      assert.deepEqual(byId, [
        { ...window, id: 'later', until: 101 },
        { ...window, until: 9_999, endedAt: 50 },
      ])
      await store.forget(101)
      assert.deepEqual(
        (await store.published('maintenance')).map(({ id }) => id),
        ['later'],
      )
    })

    it('has every announcement as it was saved last, until it is over and old', async () => {
      const announcement = { id: 'w', text: 'ünd "so" <b>', from: 5, until: null, endedAt: null }
      for (const each of [announcement, { ...announcement, id: 'ended' }, { ...announcement, id: 'later', until: 101 }])
        await store.savePublished({ announcements: [each] }, null)
      await store.savePublished({ announcements: [{ ...announcement, id: 'ended', until: 9_999, endedAt: 50 }] }, null)
      await reopen()
      const ids = async () => (await store.published('announcements')).map(({ id }) => id).sort()
      assert.deepEqual(await ids(), ['ended', 'later', 'w'])
      assert.deepEqual(
        (await store.published('announcements')).find(({ id }) => id === 'w'),
        announcement,
      )
      await store.forget(102)
      assert.deepEqual(await ids(), ['w'])
    })

    it('has what people wrote about incidents as it was saved last, until it is over and old', async () => {
      const byHand = { title: 'ünd "so" <b>', level: 'partial', startedAt: 5, resolvedAt: null } as const
      const updates = [{ id: 'u', at: 7, stage: 'identified', text: 'x\ny' }] as const
      const open = { id: 'open', components: ['a'], byHand, updates }
      const silent = { id: 'silent', components: ['a'], byHand: null, updates }
      await store.savePublished({ written_incidents: [open] }, null)
      await store.savePublished({ written_incidents: [silent] }, null)
      for (const [id, resolvedAt] of [
        ['ended', 50],
        ['later', 103],
      ] as const) {
        await store.savePublished({ written_incidents: [{ ...open, id }] }, null)
        await store.savePublished({ written_incidents: [{ ...open, id, byHand: { ...byHand, resolvedAt } }] }, null)
      }
      await reopen()
      const ids = async () => (await store.published('written_incidents')).map(({ id }) => id).sort()
      assert.deepEqual(await ids(), ['ended', 'later', 'open', 'silent'])
      assert.deepEqual(
        (await store.published('written_incidents')).find(({ id }) => id === 'open'),
        open,
      )
      await store.forget(102)
      assert.deepEqual(await ids(), ['later', 'open'])
      assert.equal(await store.incident('unknown'), undefined)
    })

    it('has the record of each change once, in order of saving, until it is old', async () => {
      const record = (n: number, more: Partial<ChangeRecord> = {}): ChangeRecord => ({
        id: `01a208d7-5a83-7000-aaed-${String(n).padStart(12, '0')}`,
        at: 100 - n,
        action: 'announce',
        outcome: 'success',
        target: 'ünd "so" \0',
        address: '::1',
        count: 1,
        before: null,
        after: { text: null },
        ...more,
      })
      const [first, second, third, fourth, refused] = [
        record(1),
        record(2),
        record(3),
        record(4, { target: null, address: null }),
        record(5, { outcome: 'refused: no', count: 7, at: 999 }),
      ] as const
      const window = { id: 'w', components: ['a'], from: 5, until: 100, text: null, endedAt: null, changedAt: 5 }
      await store.savePublished({ maintenance: [window] }, first)
      await store.savePublished({ announcements: [{ id: 'w', text: 'x', from: 5, until: 100, endedAt: null }] }, second)
      await store.save(changesOf({ components: [componentOf('a')], audited: [third] }))
      await store.retire('a', 5, 0, fourth)
      for (const times of [1, 2]) await store.save(changesOf({ audited: [refused, { ...third, count: times }] }))
      await reopen()
      const all = [first, second, third, fourth, refused]
      assert.deepEqual(await store.audit(null, 99), all)
      assert.deepEqual(await store.audit(second.id, 2), [third, fourth])
      assert.deepEqual(await store.audit(refused.id, 9), [])
      assert.deepEqual(await store.audit('unknown', 9), all, 'the reader begins again')
      await store.forget(98)
      assert.deepEqual(await store.audit(null, 9), [first, second, refused])
      assert.deepEqual(await store.audit(third.id, 9), [first, second, refused])
    })

    it('keeps the newest 10,000 records of accepted changes, and as many of refused ones', async () => {
      const idsIn = (records: readonly ChangeRecord[]) => records.map(({ id }) => id).join()
      const some = (count: number, outcome: string): ChangeRecord[] =>
        Array.from({ length: count }, () => ({
          id: randomUUID(),
          at: Date.now(),
          action: 'announce',
          outcome,
          target: null,
          address: null,
          count: 1,
          before: null,
          after: null,
        }))
      const [accepted, ...floods] = [some(10_000, 'success'), some(9_000, 'refused: no'), some(1_001, 'refused: no')]
      for (const audited of [accepted, ...floods]) await store.save(changesOf({ audited }))
      const found = await store.audit(null, 30_000)
      assert.equal(found.length, 20_000)
      assert.equal(idsIn(found.slice(0, 10_000)), idsIn(accepted), 'refused changes displace no accepted one')
      assert.equal(idsIn(found.slice(10_000)), idsIn(floods.flat().slice(1)))
      const [newest] = some(1, 'success') as [ChangeRecord]
      await store.savePublished({ announcements: [{ id: 'w', text: 'x', from: 5, until: 100, endedAt: null }] }, newest)
      const kept = (await store.audit(null, 30_000)).filter(({ outcome }) => outcome === 'success')
      assert.equal(idsIn(kept), idsIn([...accepted.slice(1), newest]))
    })

    it('adds to the sums of a day, and deletes those of earlier days and of a retired component', async () => {
      await store.forgetUptime('9999-01-01')
      await store.save(changesOf({ components: [componentOf('a')] }))
      const row = { componentId: 'a', day: '2026-06-01', ...noTimes, ...noResponses, operational: 3_000_000_000 }
      const [next, other] = [
        { ...row, day: '2026-06-02', silent: 7, responses: 2, responding: 3_000_000_000 },
        { ...row, componentId: 'b' },
      ]
      await store.addUptime([row, next, other])
      await store.addUptime([row])
      await store.addUptime([])
      await reopen()
      const sorted = (rows: readonly object[]) => rows.map((each) => JSON.stringify(each)).sort()
      const all: UptimeRange = { first: 'A', last: 'z', fromDay: '2026-01-01', untilDay: '9999', isDaily: false }
      const of = async (some: Partial<UptimeRange>) => sorted(await store.uptime({ ...all, ...some }))
      const twice = { ...row, operational: 6_000_000_000 }
      assert.deepEqual(await of({ last: 'a', isDaily: true }), sorted([twice, next]))
      assert.deepEqual(await of({ first: 'a', last: 'a', fromDay: '2026-06-02', isDaily: true }), sorted([next]))
      const sum = { ...row, operational: 9_000_000_000, silent: 7, responses: 2, responding: 3_000_000_000 }
      assert.deepEqual(await of({}), sorted([sum, other]))
      assert.deepEqual(await of({ first: 'aa', untilDay: '2026-06-01' }), sorted([other]))
      await store.forgetUptime('2026-06-02')
      assert.deepEqual(await of({}), sorted([next]))
      await store.retire('a', 5, 0, null)
      assert.deepEqual(await of({}), [])
    })

    it('can be probed by a write that changes nothing else', async () => {
      const before = await everything()
      for (const at of [5, 5, 6.5]) await store.probe(at)
      await reopen()
      assert.deepEqual(await everything(), before)
    })

    it('rounds all times to whole milliseconds in the same way', async () => {
      const incident = { ...incidentOf('one', 1_000.6), detectedAt: 1_001.4 }
      await store.save(
        changesOf({
          components: [componentOf('a', { incident, lastHeartbeatAt: 3.5, deadline: 1e9 / 7 })],
          opened: [{ componentId: 'a', incident }],
          moved: [{ componentId: 'a', transition: movedTo('outage', 1_000.6) }],
        }),
      )
      const { components, transitions, incidents } = await everything()
      assert.deepEqual(components[0]?.incident, { ...incident, startedAt: 1_001, detectedAt: 1_001 })
      assert.deepEqual(
        [components[0]?.lastHeartbeatAt, transitions[0]?.[0]?.at, incidents[0]?.startedAt],
        [4, 1_001, 1_001],
      )
      await store.retire('a', 2_000.4, 0, null)
      assert.equal((await allIncidents(store))[0]?.resolvedAt, 2_000)
    })

    it('deletes a retired component and resolves its incident', async () => {
      await store.save(
        changesOf({
          components: ['gone', 'kept'].map((name) => componentOf(name)),
          opened: ['gone', 'kept'].map((name) => ({ componentId: name, incident: incidentOf(`of-${name}`) })),
          moved: ['gone', 'kept'].map((name) => ({ componentId: name, transition: movedTo('outage', 5) })),
        }),
      )
      assert.equal(await store.retire('gone', 70, 4, null), true)
      assert.equal(await store.retire('gone', 80, 9, null), false)
      assert.deepEqual(
        (await store.load()).map((each) => each.id),
        ['kept'],
      )
      assert.deepEqual(await store.transitions('gone', { limit: 9 }), [])
      assert.equal((await store.transitions('kept', { limit: 9 })).length, 1)
      assert.deepEqual(await idsOf({ isOpen: true }), ['of-kept'])
      const [resolved] = await store.incidents({ componentId: 'gone', isOpen: false, limit: 9 })
      assert.equal(resolved?.resolvedAt, resolved?.detectedAt, 'no earlier than it was detected')
      await store.retire('kept', 90, 3, null)
      await reopen()
      assert.equal(store.retiredSequence, 4, 'of what was retired, the highest number is kept')
    })

    it('deletes older history, but no open incident, and not what began the status at that time', async () => {
      const opened = ['old', 'new', 'open'].map((name) => ({ componentId: 'a', incident: incidentOf(name, 1) }))
      const resolved = [
        { incidentId: 'old', at: 99 },
        { incidentId: 'new', at: 100 },
      ]
      const moved = [98, 99, 100].map((at) => ({ componentId: 'a', transition: movedTo('partial', at) }))
      await store.save(changesOf({ components: [componentOf('a')], opened, resolved, moved }))
      await store.forget(99.6)
      const { components, incidents, transitions } = await everything()
      assert.deepEqual(incidents.map((each) => each.id).sort(), ['new', 'open'])
      assert.deepEqual(transitions, [[movedTo('partial', 100), movedTo('partial', 99)]])
      assert.equal(components.length, 1)
    })

    it('fails after it is closed, and can be opened again', async () => {
      const closed = store
      await reopen()
      await assert.rejects(closed.load(), { name: 'Unavailable' })
      assert.deepEqual([closed.holdsLease(), store.holdsLease()], [false, true])
      await assert.rejects(closed.save(changesOf({ components: [componentOf('a')] })), { name: 'Unavailable' })
      await closed.close()
      assert.deepEqual([await store.load(), held.lost], [[], []])
    })

    it('is not opened after an abort', async () => {
      const reason = new Error('told to stop')
      await assert.rejects(place.lease().acquire(AbortSignal.abort(reason), assert.fail), reason)
    })
  })
}
