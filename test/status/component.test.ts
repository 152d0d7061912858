import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statusOf } from '../../src/status/component.ts'
import { statuses } from '../../src/status/statuses.ts'
import {
  accepted,
  deadline,
  failed,
  heartbeat,
  maintenanceMs,
  overtaken,
  partsOf,
  pause,
  published,
  repeatMs,
  Stage,
  silent,
  timeoutMs,
  uncertain,
  unsaved,
} from './component-stage.ts'

const [up, degraded, down] = [heartbeat('operational'), heartbeat('degraded'), heartbeat('outage')]

describe('A component', () => {
  it('is registered with what it says, and that is pushed', () => {
    for (const status of statuses) {
      const stage = new Stage({}, status)
      const { component, wall: at } = stage
      assert.deepEqual([statusOf(component), stage.push.publishedStatus, component.incident], [status, null, null])
      const push = { status, previousStatus: null, source: 'heartbeat', reportedAt: at, incidentId: null, sequence: 1 }
      assert.deepEqual(stage.effects, [
        { kind: 'moved', at, from: null, to: status, cause: 'heartbeat' },
        { kind: 'push', notice: { componentId: 'db', ...push } },
      ])
    }
  })

  it('moves when it says something else, and not when it says the same', () => {
    const stage = published().wait(1_000).happen(up)
    assert.deepEqual([stage.effects, stage.component.lastHeartbeatAt], [[], stage.wall])
    const { moved } = partsOf(stage.wait(1_000).happen(degraded))
    assert.deepEqual(moved, [
      { kind: 'moved', at: stage.wall, from: 'operational', to: 'degraded', cause: 'heartbeat' },
    ])
  })
})

describe('An incident', () => {
  it('means silence: opened at the deadline and no earlier, and not by what a component says', () => {
    const stage = published({}, 'outage')
    stage.wait(timeoutMs - 1).happen(deadline)
    assert.equal(stage.incidents.length, 0)
    assert.equal(stage.wait(1).happen(deadline).incidents.length, 1)
  })

  it('is dated at the deadline, whenever it is found', () => {
    const stage = published()
    const startedAt = stage.wall + timeoutMs
    const detectedAt = stage.wait(timeoutMs + 12_345).happen(deadline).wall
    const incident = { id: 'incident-1', startedAt, detectedAt, lastReportedStatus: 'operational' }
    assert.deepEqual(stage.effects.slice(0, 2), [
      { kind: 'opened', incident },
      { kind: 'moved', at: startedAt, from: 'operational', to: 'outage', cause: 'silence' },
    ])
  })

  it('comes neither sooner nor later when the wall clock is set', () => {
    for (const ms of [-3_600_000, 3_600_000]) {
      const stage = published()
      stage.wall += ms
      stage.wait(timeoutMs - 1).happen(deadline)
      assert.equal(stage.incidents.length, 0)
      stage.wait(1).happen(deadline)
      assert.equal(stage.incidents[0]?.startedAt, stage.wall)
    }
  })

  it('is resolved no earlier than it was found, though the wall clock was set back meanwhile', () => {
    const stage = silent()
    const detectedAt = stage.wall
    stage.wall -= 86_400_000
    assert.deepEqual(
      partsOf(stage.happen(up)).resolved.map(({ at }) => at),
      [detectedAt],
    )
  })

  it('waits for 14,400 s after a report of maintenance, and for that one alone', () => {
    for (const stage of [published({}, 'maintenance'), published().happen(heartbeat('maintenance'))]) {
      stage.wait(maintenanceMs - 1).happen(deadline)
      assert.equal(stage.incidents.length, 0)
      assert.equal(stage.wait(1).happen(deadline).incidents.length, 1)
      assert.equal(stage.happen(up).wait(timeoutMs).happen(deadline).incidents.length, 2)
    }
  })

  it('is one at most, however often it is looked for', () => {
    const stage = silent()
    for (let minute = 0; minute < 60; minute++) stage.wait(repeatMs).happen(deadline)
    assert.equal(stage.incidents.length, 1)
  })

  it('is resolved by any heartbeat, of an outage too, and the next one is another', () => {
    for (const status of statuses) {
      const stage = silent()
      const [incident] = stage.incidents
      stage.wait(1_000).happen(heartbeat(status))
      assert.deepEqual(partsOf(stage).resolved, [{ kind: 'resolved', incident, at: stage.wall }])
      assert.equal(statusOf(stage.component), status)
      stage.wait(maintenanceMs).happen(deadline)
      assert.deepEqual([stage.incidents.length, stage.component.incident?.id], [2, 'incident-2'])
    }
  })

  it('is an outage as long as it is open, and leaves what the component said', () => {
    const stage = silent()
    assert.deepEqual([statusOf(stage.component), stage.component.lastReportedStatus], ['outage', 'operational'])
    const { status, source, incidentId, reportedAt } = stage.notices[0] ?? assert.fail('nothing is pushed')
    assert.deepEqual([status, source, incidentId, reportedAt], ['outage', 'silence', 'incident-1', stage.wall])
    assert.deepEqual(stage.happen(accepted, up).pushed(), ['outage 2', 'operational 3'])
  })

  it('of a component that says outage changes nothing on the page', () => {
    const stage = published({}, 'outage').wait(timeoutMs).happen(deadline)
    assert.deepEqual([stage.incidents.length, stage.pushed(), partsOf(stage).moved], [1, [], []])
  })

  it('is kept from the page with STATUS_PUBLISH_SILENCE=false', () => {
    const stage = silent({ publishesSilence: false })
    assert.deepEqual([stage.incidents.length, stage.wanted, statusOf(stage.component)], [1, 'operational', 'outage'])
    stage.wait(repeatMs).happen(deadline, up)
    assert.deepEqual(stage.pushed(), [])
  })

  it('repeats no heartbeat that failed with STATUS_PUBLISH_SILENCE=false', () => {
    const stage = published({ publishesSilence: false }).happen(degraded, failed()).wait(timeoutMs).happen(deadline)
    stage.wait(repeatMs).happen(deadline)
    assert.deepEqual([stage.incidents.length, stage.pushed()], [1, ['degraded 2']])
    assert.deepEqual(stage.happen(degraded).pushed(), ['degraded 3'])
  })
})

describe('The deadline', () => {
  it('counts from the start after a start, by what was said last', () => {
    for (const status of ['degraded', 'maintenance'] as const) {
      const stage = published({}, status)
      stage.wall += 10 * maintenanceMs
      const ms = stage.rules.timeoutMs(status) - 1
      stage.restart().happen(deadline).wait(ms).happen(deadline)
      assert.equal(stage.incidents.length, 0)
      stage.wait(1).happen(deadline)
      assert.equal(stage.incidents[0]?.startedAt, stage.wall)
    }
  })

  it('leaves an incident open over a start', () => {
    const stage = silent().happen(accepted)
    const { incident } = stage.component
    stage.restart().wait(maintenanceMs).happen(deadline)
    assert.deepEqual([stage.component.incident, stage.incidents.length], [incident, 1])
    assert.equal(partsOf(stage.happen(up)).resolved.length, 1)
  })

  it('moves by as long as the worker stood still itself', () => {
    const stage = published().wait(100_000).wait(3_600_000).happen(pause(3_600_000), deadline)
    stage.wait(timeoutMs - 100_001).happen(deadline)
    assert.equal(stage.incidents.length, 0)
    stage.wait(1).happen(deadline)
    assert.equal(stage.incidents[0]?.startedAt, stage.wall)
  })

  it('does not move for who was heard after that, and before it was noticed', () => {
    const stage = published().wait(3_600_000).happen(up, pause(3_600_000)).wait(timeoutMs).happen(deadline)
    assert.equal(stage.incidents[0]?.startedAt, stage.wall)
  })

  it('moves with a heartbeat that could not be saved, by what that one said; a pause does not shorten it', () => {
    const stage = published()
      .wait(timeoutMs - 1)
      .happen(unsaved('outage'))
    assert.equal(stage.wait(timeoutMs - 1).happen(deadline).component.incident, null)
    assert.notEqual(stage.wait(1).happen(deadline).component.incident, null)
    const inMaintenance = published().happen(unsaved('maintenance'), pause(1_000))
    assert.equal(inMaintenance.wait(maintenanceMs - 1).happen(deadline).component.incident, null)
    assert.notEqual(inMaintenance.wait(1).happen(deadline).component.incident, null)
  })
})

describe('A push', () => {
  it('is made whenever what is wanted is not what is published, and then alone', () => {
    const stage = published().happen(up)
    assert.deepEqual(stage.pushed(), [])
    assert.deepEqual(stage.happen(degraded, accepted, degraded).pushed(), ['degraded 2'])
    assert.deepEqual(stage.happen(up, accepted, up).pushed(), ['operational 3'])
  })

  it('is one at a time, and the newest that waited for its end goes next', () => {
    for (const end of [accepted, failed(), uncertain]) {
      const stage = published().happen(degraded, down, heartbeat('partial'))
      assert.deepEqual(stage.pushed(), ['degraded 2'])
      assert.deepEqual(stage.happen(end).pushed(), ['partial 3'])
    }
  })

  it('is followed by none where the component has come back to what it sent', () => {
    for (const end of [accepted, failed(), uncertain])
      assert.deepEqual(published().happen(degraded, down, degraded, end).pushed(), ['degraded 2'])
  })

  it('of what is published already is made only where it may no longer be', () => {
    for (const end of [accepted, uncertain])
      assert.deepEqual(published().happen(degraded, up, end).pushed(), ['degraded 2', 'operational 3'])
    assert.deepEqual(published().happen(degraded, up, failed()).pushed(), ['degraded 2'])
  })

  it('makes published what was sent, and not what is wanted by then, and only when it is accepted', () => {
    const stage = published().happen(degraded, down)
    assert.equal(stage.push.publishedStatus, 'operational')
    assert.equal(stage.happen(accepted).push.publishedStatus, 'degraded')
    for (const end of [failed(), uncertain]) assert.equal(stage.happen(end).push.publishedStatus, 'degraded')
    stage.happen(down)
    assert.equal(stage.restart().push.publishedStatus, 'degraded')
    assert.equal(stage.happen(down, accepted).push.publishedStatus, 'outage')
  })

  it('that failed is made again by the next heartbeat, always, and by nothing else', () => {
    const stage = published().happen(degraded)
    for (let count = 2; count < 200; count++) {
      assert.deepEqual(stage.happen(failed(), deadline, pause(0)).pushed(), [`degraded ${count}`])
      assert.equal(stage.component.publication.push.kind, 'waiting')
      stage.happen(degraded)
    }
    assert.equal(stage.happen(accepted).component.publication.push.kind, 'idle')
  })

  it('that failed is not made again once nobody wants it', () => {
    assert.deepEqual(published().happen(degraded, failed(), up).pushed(), ['degraded 2'])
  })

  it('gives way to what is wanted by its turn, or to nothing', () => {
    assert.deepEqual(published().happen(degraded, down, overtaken).pushed(), ['degraded 2', 'outage 3'])
    assert.equal(published().happen(degraded, up, overtaken).push.isSending, false)
  })

  it('waits as long as Retry-After says, and 60 s at most', () => {
    for (const asked of [5_000, 60_000, 3_600_000, Number.POSITIVE_INFINITY]) {
      const given = Math.min(asked, 60_000)
      const stage = published().happen(degraded, down, failed(asked))
      stage.wait(given - 1).happen(degraded)
      assert.deepEqual(stage.pushed(), ['degraded 2'])
      assert.deepEqual(stage.wait(1).happen(degraded).pushed(), ['degraded 3'])
    }
  })

  it('does not wait for a Retry-After from before the start', () => {
    const stage = published().happen(degraded, failed(60_000)).restart()
    assert.deepEqual(stage.happen(degraded).pushed(), ['degraded 2', 'degraded 3'])
  })

  it('is never made without a service, and nothing is ever published', () => {
    const stage = new Stage({ page: null }).happen(degraded, accepted, down).wait(timeoutMs).happen(deadline)
    stage.wait(repeatMs).happen(deadline).restart().happen(up)
    assert.deepEqual([stage.pushed(), stage.push.publishedStatus, stage.incidents.length], [[], null, 1])
  })
})

describe('The push of a silence', () => {
  it('that failed is repeated by the deadline, at most once in 60 s', () => {
    for (const end of [failed(), failed(3_600_000), uncertain]) {
      const stage = silent().wait(4_000).happen(end)
      stage.pushed()
      stage.wait(repeatMs - 1).happen(deadline)
      assert.deepEqual(stage.pushed(), [])
      assert.deepEqual(stage.wait(1).happen(deadline, deadline).pushed(), [end === uncertain ? 'outage 2' : 'outage 3'])
      assert.deepEqual(stage.happen(accepted).wait(repeatMs).happen(deadline).pushed(), [])
    }
  })

  it('is repeated after a start without waiting for another silence', () => {
    for (const end of [[], [failed()], [uncertain]]) {
      const stage = published({}, 'maintenance').wait(maintenanceMs).happen(deadline)
      stage.happen(...end).restart()
      stage.pushed()
      assert.equal(stage.happen(deadline, deadline).pushed().length, 1)
    }
  })

  it('waits for the push under way', () => {
    const stage = published().happen(degraded).wait(timeoutMs).happen(deadline)
    assert.deepEqual(stage.pushed(), ['degraded 2'])
    assert.deepEqual(stage.happen(failed()).pushed(), ['outage 3'])
  })
})
