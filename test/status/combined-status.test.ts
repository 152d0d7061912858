import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { combinedStatus, withReport } from '../../src/status/instances.ts'
import { type Status, statuses } from '../../src/status/statuses.ts'
import { heartbeat, pause, published, type Stage, startGraceMs, timeoutMs, unsaved } from './component-stage.ts'

const by = (instance: string, status: Status) => heartbeat(status, { instance })
const statusOf = (stage: Stage) => stage.component.lastReportedStatus
const instancesOf = (stage: Stage) => stage.component.instances.map(({ instance, status }) => `${instance} ${status}`)

describe('The status of instances that share a component', () => {
  const of = (...list: Status[]) =>
    combinedStatus(list.map((status, n) => ({ instance: `i${n}`, status, reportedAt: 0, deadline: 1 })))

  it('is what all of them report, degraded if one deviates, and partial if most are down', () => {
    for (const status of statuses) for (const count of [1, 2, 5]) assert.equal(of(...Array(count).fill(status)), status)
    const [up, slow, down] = ['operational', 'degraded', 'outage'] as const
    assert.equal(of(up, down), 'degraded')
    assert.equal(of(up, up, down), 'degraded')
    assert.equal(of(up, slow), 'degraded')
    assert.equal(of(down, down, up, up), 'degraded')
    assert.equal(of(down, down, up), 'partial')
    assert.equal(of(down, 'partial'), 'partial')
    assert.equal(of(down, 'maintenance'), 'outage')
    assert.equal(of(up, 'maintenance'), 'operational')
  })

  it('is the same in whatever order they report', () => {
    for (const a of statuses)
      for (const b of statuses)
        for (const c of statuses) {
          const all = [of(a, b, c), of(a, c, b), of(b, a, c), of(b, c, a), of(c, a, b), of(c, b, a)]
          assert.equal(new Set(all).size, 1, `${a} ${b} ${c}`)
        }
  })

  it('follows each report, and is published', () => {
    const stage = published()
    stage.happen(by('a', 'operational'), by('b', 'operational'))
    assert.deepEqual([statusOf(stage), stage.pushed()], ['operational', []])
    stage.happen(by('b', 'outage'))
    assert.deepEqual([statusOf(stage), stage.pushed()], ['degraded', ['degraded 2']])
    stage.happen(by('a', 'outage'))
    assert.equal(statusOf(stage), 'outage')
    stage.happen(by('a', 'operational'), by('b', 'operational'))
    assert.equal(statusOf(stage), 'operational')
  })

  it('no longer includes an instance that was silent for a timeout, and any instance keeps the component alive', () => {
    const stage = published().happen(by('a', 'operational'), by('gone', 'outage'))
    stage.wait(timeoutMs - 1).happen(by('a', 'operational'))
    assert.equal(statusOf(stage), 'degraded')
    stage.wait(1).happen(by('a', 'operational'))
    assert.deepEqual([statusOf(stage), instancesOf(stage)], ['operational', ['a operational']])
    stage.wait(timeoutMs).happen({ kind: 'deadline' })
    assert.equal(stage.incidents.length, 1)
    stage.happen(by('b', 'outage'))
    assert.deepEqual([stage.component.incident, instancesOf(stage)], [null, ['b outage']])
  })

  it('is that of a heartbeat without an instance, which applies to all of them', () => {
    const stage = published().happen(by('a', 'operational'), by('b', 'outage'), heartbeat('maintenance'))
    assert.deepEqual([statusOf(stage), instancesOf(stage)], ['maintenance', []])
    assert.equal(statusOf(stage.happen(by('a', 'partial'))), 'partial')
  })

  it('survives restarts of the worker, its pauses, and heartbeats that it cannot save', () => {
    const stage = () => published().happen(by('a', 'operational'), by('b', 'outage'))
    const lasts = (after: Stage, ms: number) => {
      assert.equal(statusOf(after.wait(ms - 1).happen(by('a', 'operational'))), 'degraded')
      assert.equal(statusOf(after.wait(1).happen(by('a', 'operational'))), 'operational')
    }
    lasts(
      stage()
        .wait(timeoutMs / 6)
        .restart(),
      (timeoutMs * 5) / 6,
    )
    const paused = stage().wait(timeoutMs / 2)
    lasts(paused.wait(timeoutMs).happen(pause), startGraceMs)
    const refused = { ...unsaved('outage'), instance: 'b' } as const
    lasts(
      stage()
        .wait(timeoutMs / 2)
        .happen(refused),
      timeoutMs,
    )
  })

  it('includes the 100 instances that reported last', () => {
    const stage = published()
    for (let n = 0; n < 1_000; n++) stage.happen(by(`i${n}`, n === 0 ? 'outage' : 'operational'))
    assert.deepEqual([statusOf(stage), stage.component.instances.length], ['operational', 100])
  })
})

describe('The reports of instances', () => {
  const report = (instance: string, deadline = 10) => ({
    instance,
    status: 'operational' as const,
    reportedAt: 0,
    deadline,
  })

  it('are the last one of each that is not past its deadline, the newest last', () => {
    const [a, b, c] = [report('a'), report('b', 5), report('c', 6)]
    assert.deepEqual(withReport([a, b, c], report('d', 1), 5), [a, c, report('d', 1)])
    assert.deepEqual(withReport([a, c], report('a', 9), 5), [c, report('a', 9)])
    assert.deepEqual(withReport([], a, 99), [a])
  })

  it('are 100 at most', () => {
    const all = Array.from({ length: 100 }, (_, n) => report(`i${n}`))
    assert.deepEqual(withReport(all, report('new'), 0), [...all.slice(1), report('new')])
    assert.equal(withReport(all.slice(1), report('new'), 0).length, 100)
  })
})
