import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Component, type Event, next, registered, type Step } from '../../src/status/component.ts'
import type { Target } from '../../src/status/publication.ts'
import type { OpenRun } from '../../src/status/runs.ts'
import { noSchedule } from '../../src/status/schedule.ts'
import {
  accepted,
  deadline,
  heartbeat,
  maintenanceMs,
  overtaken,
  partsOf,
  published,
  Stage,
  silent,
  timeoutMs,
} from './component-stage.ts'

const [up, degraded, down] = [heartbeat('operational'), heartbeat('degraded'), heartbeat('outage')]
const begin: Event = { kind: 'maintenance', id: 'w' }
const end: Event = { kind: 'maintenance', id: null }
const retire: Event = { kind: 'retire', status: 'operational' }
const day = 86_400_000

/** One step without the invariants of the stage, from the stage's component with these changes. */
const after = (stage: Stage, event: Event, more: Partial<Component> = {}, targets = stage.rules.targets): Step =>
  next({ ...stage.component, ...more }, event, stage.now, { ...stage.rules, targets })
const kindsOf = ({ effects }: Step) => effects.map(({ kind }) => kind)
const runOf = (stage: Stage, more: Partial<OpenRun> = {}): OpenRun => ({
  id: 'r',
  rid: null,
  startedAt: stage.wall,
  overlaps: false,
  deadline: stage.monotonic + 5_000,
  ...more,
})

describe('A first heartbeat', () => {
  it('that ends a run registers the component with it, and has changed nothing before', () => {
    const stage = new Stage()
    const ofRun = { rid: 'r', exitCode: 3, body: 'log' }
    const { component, effects } = registered('job', { status: 'outage', end: ofRun }, stage.now, stage.rules)
    const run = { id: 'incident-1', rid: 'r', startedAt: null, overlaps: false, endedAt: stage.wall, exitCode: 3 }
    assert.deepEqual(component.lastRun, { ...run, outcome: 'failed' })
    assert.deepEqual(effects[0], { kind: 'ran', run: { ...run, outcome: 'failed', body: 'log' } })
    assert.deepEqual(
      [component.runs, component.exitCode, component.upAt, component.downAt],
      [[], 3, stage.wall, stage.wall],
    )
    assert.deepEqual([component.instances, component.retiredAs, component.maintenanceId], [[], null, null])
    const named = registered('job', { status: 'outage', instance: 'a' }, stage.now, stage.rules).component.instances
    assert.deepEqual(
      named.map(({ instance }) => instance),
      ['a'],
    )
  })
})

describe('A component that is retired', () => {
  it('resolves its incident, no earlier than it was detected, and shows what it is retired as', () => {
    const stage = silent().happen(accepted).wait(5_000)
    const incident = stage.component.incident ?? assert.fail()
    const { component, effects } = after(stage, retire)
    assert.deepEqual([component.incident, component.retiredAs, component.changedAt], [null, 'operational', stage.wall])
    assert.deepEqual(effects[0], { kind: 'resolved', incident, at: stage.wall, isRetired: true })
    assert.deepEqual(kindsOf({ component, effects }), ['resolved', 'push'])
    stage.wall = incident.detectedAt - 1
    assert.deepEqual(after(stage, retire).effects[0], {
      kind: 'resolved',
      incident,
      at: incident.detectedAt,
      isRetired: true,
    })
  })

  it('has no other effect than its push', () => {
    const stage = published().wait(5_000).happen(down, accepted)
    assert.deepEqual(kindsOf(after(stage, retire)), ['push'])
    assert.deepEqual(after(published(), retire).effects, [])
  })

  it('opens no incident, and is there again with the next heartbeat or run', () => {
    const stage = published().wait(timeoutMs)
    assert.deepEqual(after(stage, deadline, { retiredAs: 'operational' }).effects, [])
    assert.deepEqual(kindsOf(after(stage, deadline)), ['opened', 'moved', 'push'])
    const back = after(stage, up, { retiredAs: 'operational' }).component
    assert.deepEqual([back.retiredAs, back.changedAt], [null, stage.wall])
    const run = after(stage, { kind: 'run', rid: null, body: null }, { retiredAs: 'operational' }).component
    assert.deepEqual([run.retiredAs, run.changedAt], [null, stage.wall])
  })

  it('is published at once, flap or not', () => {
    const stage = published({ flapMs: 60_000 }).happen(down, accepted, up)
    assert.deepEqual(stage.pushed(), ['outage 2'])
    assert.deepEqual(kindsOf(after(stage, retire)), ['push'])
  })
})

describe('A component in announced maintenance', () => {
  it('opens no incident, and has a whole timeout from its end on, or what was left of a longer one', () => {
    const stage = published().happen(begin, accepted).wait(timeoutMs)
    assert.deepEqual(after(stage, deadline).effects, [])
    const ended = after(stage, end).component
    assert.deepEqual([ended.deadline, ended.aliveAt], [stage.monotonic + timeoutMs, stage.wall])
    const before = stage.component
    assert.deepEqual([before.deadline, before.aliveAt], [stage.monotonic, stage.wall - timeoutMs])
    const longer = { deadline: stage.monotonic + day }
    assert.equal(after(stage, end, longer).component.deadline, stage.monotonic + day)
    assert.equal(after(published(), begin, longer).component.deadline, stage.monotonic + day)
    const other = after(stage, { kind: 'maintenance', id: 'v' }).component
    assert.deepEqual([other.deadline, other.aliveAt], [before.deadline, before.aliveAt])
  })

  it('is up while it lasts, and down again from its end on if it was before', () => {
    const stage = published().wait(1_000).happen(down, accepted).wait(1_000)
    const wentDown = stage.component.downAt
    stage.happen(begin)
    assert.deepEqual([stage.component.upAt, stage.component.downAt], [stage.wall, wentDown])
    const wentUp = stage.wall
    stage.wait(1_000).happen(accepted, end)
    assert.deepEqual([stage.component.upAt, stage.component.downAt], [wentUp, stage.wall])
    const fine = published().wait(1_000)
    const { downAt } = fine.component
    fine.happen(begin)
    assert.deepEqual([fine.component.upAt, fine.component.downAt], [fine.wall, downAt])
    const partial = published().happen(heartbeat('partial'), accepted).wait(1_000).happen(begin, accepted).wait(1_000)
    const announced = partial.component
    assert.deepEqual(after(partial, { kind: 'maintenance', id: 'v' }).component.downAt, announced.downAt)
  })

  it('changes nothing with the same announcement, and moves nothing if it reports maintenance itself', () => {
    const stage = published().happen(begin, accepted).wait(1_000)
    const again = next(stage.component, begin, stage.now, stage.rules)
    assert.equal(again.component, stage.component)
    assert.deepEqual(again.effects, [])
    const reporting = published({}, 'maintenance').wait(1_000)
    const { component, effects } = after(reporting, begin)
    assert.deepEqual([component.maintenanceId, component.changedAt, effects], ['w', reporting.wall, []])
    const { deadline: due } = after(reporting.happen(begin).wait(1_000), end).component
    assert.equal(due, reporting.monotonic + maintenanceMs)
  })
})

describe('A component that goes down and up', () => {
  it('remembers when, by the report that changed it', () => {
    const stage = published()
    const { upAt, downAt } = stage.wait(1_000).happen(degraded, accepted).component
    assert.deepEqual([upAt, downAt], [stage.wall - 1_000, stage.wall - 1_000])
    const fell = stage.wait(1_000).happen(heartbeat('partial'), accepted).wall
    stage.wait(1_000).happen(down, accepted)
    assert.deepEqual([stage.component.upAt, stage.component.downAt], [upAt, fell])
    const rose = stage.wait(1_000).happen(up, accepted).wall
    stage.wait(1_000).happen(degraded, accepted)
    assert.deepEqual([stage.component.upAt, stage.component.downAt], [rose, fell])
  })

  it('by silence was down since the deadline, unless it was already', () => {
    const stage = published().wait(timeoutMs + 7_000)
    assert.equal(after(stage, deadline).component.downAt, stage.wall - 7_000)
    const already = published().wait(1_000).happen(down, accepted)
    const { downAt } = already.component
    const step = after(already.wait(timeoutMs), deadline)
    assert.deepEqual([step.component.downAt, kindsOf(step)], [downAt, ['opened']])
  })

  it('is no flap unless it was published as down', () => {
    const stage = published({ flapMs: 60_000 }).happen(degraded)
    assert.deepEqual(stage.pushed(), ['degraded 2'])
  })
})

describe('A deadline that has passed', () => {
  it('is put off while a run may still end in time', () => {
    const stage = published().wait(timeoutMs)
    const runs = [runOf(stage)]
    const step = after(stage, deadline, { runs })
    assert.deepEqual(step, {
      component: { ...stage.component, runs, deadline: stage.monotonic + 5_000 },
      effects: [],
    })
    const back = stage.component.aliveAt - 1
    stage.wall = back
    assert.equal(after(stage, deadline, { runs }).component.aliveAt, back)
  })

  it('is put off to the run that is still to come if the wall clock was set back', () => {
    const stage = published()
    stage.wall = Date.parse('2026-06-01T02:00:00Z')
    stage.happen(heartbeat('operational', { cron: { expression: '0 3 * * *', tz: 'UTC' }, graceMs: 0 }), accepted)
    stage.wait(3_600_000)
    stage.wall -= 600_000
    const { component, effects } = after(stage, deadline)
    assert.deepEqual([component.deadline, effects], [stage.monotonic + 600_000, []])
    assert.equal(component.aliveAt, stage.wall - 3_000_000)
  })

  it('loses the run that should have ended, with an incident that says so, whatever else runs', () => {
    const stage = published().wait(timeoutMs)
    const late = runOf(stage, { deadline: stage.monotonic, startedAt: Date.parse('2026-01-01T00:00:00Z') })
    const other = runOf(stage, { id: 'other' })
    const step = after(stage, deadline, { runs: [late, other], schedule: { ...noSchedule, maxRunMs: 180_000 } })
    const { component, effects } = step
    assert.deepEqual(kindsOf(step), ['ran', 'opened', 'moved', 'push'])
    const message = 'The run of 2026-01-01 00:00:00 UTC did not end within 180 s'
    assert.equal(component.incident?.message, message)
    assert.deepEqual([component.runs, component.lastRun?.id, component.lastRun?.outcome], [[other], 'r', 'lost'])
    assert.deepEqual(effects[0], { kind: 'ran', run: { ...component.lastRun, body: null } })
  })
})

describe('The start of a run', () => {
  const start = (more: object = {}): Event => ({ kind: 'run', rid: 'r', body: 'log', ...more })

  it('fulfils the schedule, and reports no status', () => {
    const stage = published().wait(1_000)
    const { component, effects } = after(stage, start({ maxRunMs: 7_000, expectWithinMs: day }))
    const before = stage.component
    const schedule = { ...noSchedule, maxRunMs: 7_000, timeoutMs: day }
    const [run] = component.runs
    assert.deepEqual(component, {
      ...before,
      schedule,
      runs: [run],
      deadline: stage.monotonic + 7_000,
      aliveAt: stage.wall,
    })
    assert.deepEqual(run, { ...runOf(stage, { id: 'incident-1', rid: 'r' }), deadline: stage.monotonic + 7_000 })
    const { deadline: _, ...its } = run ?? assert.fail()
    assert.deepEqual(effects, [
      { kind: 'ran', run: { ...its, endedAt: null, outcome: 'running', exitCode: null, body: 'log' } },
    ])
  })

  it('that is repeated changes nothing but the schedule that it names', () => {
    const stage = published()
    const runs = [runOf(stage, { rid: 'r' })]
    const before = { ...stage.component, runs }
    const again = next(before, start(), stage.now, stage.rules)
    assert.equal(again.component, before)
    assert.deepEqual(again.effects, [])
    const longer = after(stage, start({ expectWithinMs: day }), { runs })
    assert.deepEqual([longer.component.schedule.timeoutMs, longer.effects], [day, []])
    assert.deepEqual(longer.component.runs, runs)
  })

  it('is ended by a heartbeat, from which the next deadline counts', () => {
    const stage = published()
    const runs = [runOf(stage, { rid: 'r' }), runOf(stage, { id: 'other', rid: 's' })]
    const finished = heartbeat('operational', { end: { rid: 'r', exitCode: 0, body: null } })
    const step = after(stage, finished, { runs })
    assert.deepEqual([step.component.runs, step.component.deadline], [[runs[1]], stage.monotonic + 5_000])
    assert.deepEqual([step.component.lastRun?.id, kindsOf(step)], ['r', ['ran']])
    const last = after(stage, finished, { runs: runs.slice(0, 1) }).component
    assert.deepEqual([last.runs, last.deadline], [[], stage.monotonic + timeoutMs])
    const plain = after(stage, up, { runs, lastRun: step.component.lastRun })
    assert.deepEqual([plain.component.runs, plain.component.lastRun], [runs, step.component.lastRun])
    assert.deepEqual([plain.component.deadline, plain.effects], [stage.monotonic + 5_000, []])
  })
})

describe('A change of the schedule', () => {
  it('counts from now, whatever was due', () => {
    const stage = published().wait(1_000)
    const { component, effects } = after(stage, { kind: 'reschedule', expectWithinMs: day })
    const schedule = { ...noSchedule, timeoutMs: day }
    const changed = { schedule, deadline: stage.monotonic + day, aliveAt: stage.wall }
    assert.deepEqual([component, effects], [{ ...stage.component, ...changed }, []])
  })
})

describe('Several targets', () => {
  const page = (name: string): Target => ({ name, page: name, isAlert: false })
  const alert: Target = { name: 'mail', page: 'mail', isAlert: true }
  const failure = (target: string): Event => ({ kind: 'failed', target, retryAfterMs: 0, jitter: 0 })
  const ok = (target: string): Event => ({ kind: 'accepted', target })
  const stageWith = (...targets: Target[]) => {
    const stage = new Stage()
    const rules = { ...stage.rules, targets }
    let { component } = registered('db', { status: 'operational' }, stage.now, rules)
    /** The targets to which each event pushes. */
    const happen = (...events: Event[]) =>
      events.map((event) => {
        const step = next(component, event, stage.now, rules)
        component = step.component
        return partsOf(step).pushes.map(({ target, notice }) => `${target} ${notice.status}`)
      })
    return { stage, happen, rules, get: () => component }
  }

  it('are each pushed and retried on their own', () => {
    const { stage, happen, get } = stageWith(page('a'), page('b'))
    assert.deepEqual(happen(ok('a'), failure('b')), [[], []])
    assert.deepEqual(happen(degraded), [['a degraded', 'b degraded']])
    // What one accepts says nothing about the other, and retries nothing there.
    assert.deepEqual(happen(failure('a'), ok('b')), [[], []])
    assert.deepEqual(
      get().publications.map(({ target, publishedStatus, push }) => [target, publishedStatus, push.kind]),
      [
        ['a', 'operational', 'waiting'],
        ['b', 'degraded', 'idle'],
      ],
    )
    stage.wait(day)
    assert.deepEqual(happen({ kind: 'retry', target: 'b' }, { kind: 'retry', target: 'a' }), [[], ['a degraded']])
  })

  it('have ends of pushes only for what was sent there', () => {
    const { stage, happen, rules, get } = stageWith(page('a'))
    const before = get()
    for (const target of ['b', 'c']) {
      const step = next(before, ok(target), stage.now, { ...rules, targets: [...rules.targets, page('b')] })
      assert.equal(step.component, before)
    }
    assert.equal(next(before, ok('a'), stage.now, { ...rules, targets: [] }).component, before)
    assert.deepEqual(happen(ok('a'), ok('a')), [[], []])
    // A target that is new to the component gets it after a restart.
    const known = next(get(), degraded, stage.now, { ...rules, targets: [page('new'), ...rules.targets] })
    assert.deepEqual(
      partsOf(known).pushes.map(({ target }) => target),
      ['a'],
    )
  })

  it('are in doubt about an outage that they refused if they send alerts, and are not if they are pages', () => {
    const { happen, get } = stageWith(page('a'), alert)
    happen(ok('a'), down, failure('a'), failure('mail'))
    assert.deepEqual(
      get().publications.map(({ target, push }) => [target, push.kind]),
      [
        ['a', 'waiting'],
        ['mail', 'unknown'],
      ],
    )
  })

  it('that send alerts get outages and recoveries, and nothing of a muted component', () => {
    const { happen, get, stage } = stageWith(alert)
    assert.deepEqual(happen(degraded, heartbeat('maintenance'), down), [[], [], ['mail outage']])
    const mute = { until: stage.wall + day, by: 'an owl' }
    assert.deepEqual(happen({ kind: 'mute', mute }, failure('mail'), down), [[], [], []])
    assert.deepEqual(get().mute, mute)
    assert.deepEqual(happen({ kind: 'mute', mute: null }), [['mail outage']])
    assert.deepEqual(happen(ok('mail'), { kind: 'acknowledge', by: 'an owl' }), [[], []])
    assert.deepEqual([get().acknowledgement?.by, get().acknowledgement?.news], ['an owl', { mail: 'waiting' }])
    happen({ kind: 'news', target: 'mail', state: 'sending' })
    assert.deepEqual(get().acknowledgement?.news, { mail: 'sending' })
    happen({ kind: 'mute', mute })
    stage.wait(day)
    happen(deadline)
    assert.equal(get().mute, null)
  })

  it('send again what was overtaken and is wanted after all', () => {
    const stage = published().happen(degraded)
    stage.pushed()
    assert.deepEqual(stage.happen(overtaken).pushed(), ['degraded 3'])
  })
})
