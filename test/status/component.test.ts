import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Event } from '../../src/status/component.ts'
import { statuses } from '../../src/status/statuses.ts'
import { statusOf } from '../../src/status/wanted.ts'
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
  retry,
  retryMs,
  Stage,
  silent,
  startGraceMs,
  throttled,
  timeoutMs,
  uncertain,
  unsaved,
} from './component-stage.ts'

const daily = heartbeat('degraded', { expectWithinMs: 86_400_000 })
const [up, degraded, down] = [heartbeat('operational'), heartbeat('degraded'), heartbeat('outage')]

describe('A component', () => {
  it('is registered with its first status, which is pushed', () => {
    for (const status of statuses) {
      const stage = new Stage({}, status)
      const { component, wall: at } = stage
      assert.deepEqual([statusOf(component), stage.push.publishedStatus, component.incident], [status, null, null])
      const sent = { status, previousStatus: null, source: 'heartbeat', reportedAt: at, incidentId: null, sequence: 1 }
      const push = { ...sent, message: null }
      assert.deepEqual(stage.effects, [
        { kind: 'moved', at, from: null, to: status, cause: 'heartbeat', message: null },
        { kind: 'push', target: 'default', notice: { componentId: 'db', ...push } },
      ])
    }
  })

  it('records a transition when its status changes, and none when it repeats', () => {
    const stage = published().wait(1_000).happen(up)
    assert.deepEqual([stage.effects, stage.component.lastHeartbeatAt], [[], stage.wall])
    const { moved } = partsOf(stage.wait(1_000).happen(degraded))
    assert.deepEqual(moved, [
      { kind: 'moved', at: stage.wall, from: 'operational', to: 'degraded', cause: 'heartbeat', message: null },
    ])
  })
})

describe('An incident', () => {
  it('opens at the deadline and no earlier, and never because of a reported status', () => {
    const stage = published({}, 'outage')
    stage.wait(timeoutMs - 1).happen(deadline)
    assert.equal(stage.incidents.length, 0)
    assert.equal(stage.wait(1).happen(deadline).incidents.length, 1)
  })

  it('starts at the deadline, however late it is detected', () => {
    const stage = published()
    const startedAt = stage.wall + timeoutMs
    const detectedAt = stage.wait(timeoutMs + 12_345).happen(deadline).wall
    const incident = { id: 'incident-1', startedAt, detectedAt, lastReportedStatus: 'operational', message: null }
    assert.deepEqual(stage.effects.slice(0, 2), [
      { kind: 'opened', incident },
      { kind: 'moved', at: startedAt, from: 'operational', to: 'outage', cause: 'silence', message: null },
    ])
  })

  it('starts to the millisecond at the deadline, whatever the fractions of the clocks', () => {
    for (const fraction of [0, 0.3, 0.5, 0.7, 0.999]) {
      const stage = published()
      const startedAt = stage.wall + timeoutMs
      stage.monotonic += fraction
      assert.equal(stage.wait(timeoutMs + 250).happen(deadline).incidents[0]?.startedAt, startedAt)
    }
    // The wall clock runs a little slower.
    const stage = published()
    stage.wall -= 2
    const { incidents, wall } = stage.wait(timeoutMs).happen(deadline)
    assert.equal(incidents[0]?.startedAt, wall)
  })

  it('is resolved no earlier than it was detected, even if the wall clock was set back', () => {
    const stage = silent()
    const detectedAt = stage.wall
    stage.wall -= 86_400_000
    assert.deepEqual(
      partsOf(stage.happen(up)).resolved.map(({ at }) => at),
      [detectedAt],
    )
  })

  it('waits 14,400 s after a maintenance report, and only after that one', () => {
    for (const stage of [published({}, 'maintenance'), published().happen(heartbeat('maintenance'))]) {
      stage.wait(maintenanceMs - 1).happen(deadline)
      assert.equal(stage.incidents.length, 0)
      assert.equal(stage.wait(1).happen(deadline).incidents.length, 1)
      assert.equal(stage.happen(up).wait(timeoutMs).happen(deadline).incidents.length, 2)
    }
  })

  it('is resolved by any heartbeat, even one of an outage; the next incident is a new one', () => {
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

  it('counts as an outage while open and keeps lastReportedStatus', () => {
    const stage = silent()
    assert.deepEqual([statusOf(stage.component), stage.component.lastReportedStatus], ['outage', 'operational'])
    const { status, source, incidentId, reportedAt } = stage.notices[0] ?? assert.fail('nothing is pushed')
    assert.deepEqual([status, source, incidentId, reportedAt], ['outage', 'silence', 'incident-1', stage.wall])
    assert.deepEqual(stage.happen(accepted, up).pushed(), ['outage 2', 'operational 3'])
  })

  it('of a component that reports outage changes nothing on the page', () => {
    const stage = published({}, 'outage').wait(timeoutMs).happen(deadline)
    assert.deepEqual([stage.incidents.length, stage.pushed(), partsOf(stage).moved], [1, [], []])
  })

  it('is not published with STATUS_PUBLISH_SILENCE=false', () => {
    const stage = silent({ publishesSilence: false })
    assert.deepEqual([stage.incidents.length, stage.wanted, statusOf(stage.component)], [1, 'operational', 'outage'])
    stage.wait(retryMs[0]).happen(deadline, up)
    assert.deepEqual(stage.pushed(), [])
  })
})

describe('The deadline', () => {
  it('survives a restart: the worker waits on as if it had not stopped', () => {
    for (const status of ['degraded', 'maintenance'] as const) {
      const stage = published({}, status)
      const totalMs = status === 'maintenance' ? maintenanceMs : timeoutMs
      stage.wall += totalMs - startGraceMs - 5_000
      stage
        .restart()
        .wait(startGraceMs + 4_999)
        .happen(deadline)
      assert.equal(stage.incidents.length, 0)
      stage.wait(1).happen(deadline)
      assert.equal(stage.incidents[0]?.startedAt, stage.wall)
    }
  })

  it('leaves each component the start grace for its next heartbeat, or its timeout if that is shorter', () => {
    const missed = (graceMs: number, ...events: Event[]) => {
      const stage = published()
        .happen(...events)
        .wait(10 * maintenanceMs)
        .restart()
      stage
        .happen(deadline)
        .wait(graceMs - 1)
        .happen(deadline)
      assert.equal(stage.incidents.length, 0)
      assert.equal(stage.wait(1).happen(deadline).incidents[0]?.startedAt, stage.wall)
    }
    missed(startGraceMs)
    missed(30_000, heartbeat('operational', { expectWithinMs: 30_000, graceMs: 60_000 }))
  })

  it('is found however often the worker is restarted, even if the clock was wrong at a start', () => {
    const [hour, day] = [3_600_000, 86_400_000]
    const stage = published().happen(heartbeat('operational', { expectWithinMs: 26 * hour }))
    stage.wait(12 * hour)
    stage.wall -= 30 * day
    stage.restart().happen(deadline)
    stage.wall += 30 * day
    for (const beforeRestart of [8 * hour, 5 * hour])
      assert.equal(stage.wait(beforeRestart).restart().happen(deadline).incidents.length, 0)
    assert.equal(stage.wait(hour).happen(deadline).incidents.length, 1)
  })

  it('counts from the end of maintenance, and from a heartbeat that could not be saved, across a restart too', () => {
    const hour = 3_600_000
    const daily = heartbeat('operational', { expectWithinMs: 26 * hour })
    const signs: Event[][] = [
      [{ kind: 'maintenance', id: 'a' }, accepted, { kind: 'maintenance', id: null }, accepted],
      [unsaved('operational')],
    ]
    for (const sign of signs) {
      const stage = published()
        .happen(daily)
        .wait(20 * hour)
        .happen(...sign)
        .wait(20 * hour)
      stage.restart().wait(hour).happen(deadline)
      assert.equal(stage.incidents.length, 0)
      assert.equal(stage.wait(5 * hour).happen(deadline).incidents.length, 1)
    }
  })

  it('leaves an incident open over a restart', () => {
    const stage = silent().happen(accepted)
    const { incident } = stage.component
    stage.restart().wait(maintenanceMs).happen(deadline)
    assert.deepEqual([stage.component.incident, stage.incidents.length], [incident, 1])
    assert.equal(partsOf(stage.happen(up)).resolved.length, 1)
  })

  it('that passed while the worker was suspended leaves the start grace for a heartbeat', () => {
    const stage = published().wait(100_000).wait(3_600_000).happen(pause, deadline)
    stage.wait(startGraceMs - 1).happen(deadline)
    assert.equal(stage.incidents.length, 0)
    stage.wait(1).happen(deadline)
    assert.equal(stage.incidents[0]?.startedAt, stage.wall)
  })

  it('is not extended by a pause if enough time is left, or if a heartbeat arrived before the pause was detected', () => {
    const daily = published().happen(heartbeat('operational', { expectWithinMs: 86_400_000 }))
    daily.wait(3_600_000).happen(pause).wait(82_800_000).happen(deadline)
    assert.equal(daily.incidents[0]?.startedAt, daily.wall)
    const stage = published().wait(3_600_000).happen(up, pause).wait(timeoutMs).happen(deadline)
    assert.equal(stage.incidents[0]?.startedAt, stage.wall)
  })

  it('is extended by a heartbeat that could not be saved, as its status requires; a pause does not shorten it', () => {
    const stage = published()
      .wait(timeoutMs - 1)
      .happen(unsaved('outage'))
    assert.equal(stage.wait(timeoutMs - 1).happen(deadline).component.incident, null)
    assert.notEqual(stage.wait(1).happen(deadline).component.incident, null)
    const inMaintenance = published().happen(unsaved('maintenance'), pause)
    assert.equal(inMaintenance.wait(maintenanceMs - 1).happen(deadline).component.incident, null)
    assert.notEqual(inMaintenance.wait(1).happen(deadline).component.incident, null)
  })
})

describe('A push', () => {
  it('is sent exactly when the wanted status differs from the published one', () => {
    const stage = published().happen(up)
    assert.deepEqual(stage.pushed(), [])
    assert.deepEqual(stage.happen(degraded, accepted, degraded).pushed(), ['degraded 2'])
    assert.deepEqual(stage.happen(up, accepted, up).pushed(), ['operational 3'])
  })

  it('is one at a time per component, and the newest status goes next', () => {
    for (const end of [accepted, failed(), uncertain]) {
      const stage = published().happen(degraded, down, heartbeat('partial'))
      assert.deepEqual(stage.pushed(), ['degraded 2'])
      assert.deepEqual(stage.happen(end).pushed(), ['partial 3'])
    }
  })

  it('is followed by no other if the component is back at the status that was sent', () => {
    for (const end of [accepted, failed(), uncertain])
      assert.deepEqual(published().happen(degraded, down, degraded, end).pushed(), ['degraded 2'])
  })

  it('of the published status is sent only if the page may show another by now', () => {
    for (const end of [accepted, uncertain])
      assert.deepEqual(published().happen(degraded, up, end).pushed(), ['degraded 2', 'operational 3'])
    assert.deepEqual(published().happen(degraded, up, failed()).pushed(), ['degraded 2'])
  })

  it('makes the status that was sent the published one, and only on acceptance', () => {
    const stage = published().happen(degraded, down)
    assert.equal(stage.push.publishedStatus, 'operational')
    assert.equal(stage.happen(accepted).push.publishedStatus, 'degraded')
    for (const end of [failed(), uncertain]) assert.equal(stage.happen(end).push.publishedStatus, 'degraded')
    stage.happen(down)
    assert.equal(stage.restart().push.publishedStatus, 'degraded')
    assert.equal(stage.happen(down, accepted).push.publishedStatus, 'outage')
  })

  it('that failed is retried by each later heartbeat, at once', () => {
    const stage = published().happen(degraded)
    for (let count = 2; count < 200; count++) {
      assert.deepEqual(stage.happen(failed(), deadline, pause).pushed(), [`degraded ${count}`])
      assert.equal(stage.component.publications[0]?.push.kind, 'waiting')
      stage.happen(degraded)
    }
    assert.equal(stage.happen(accepted).component.publications[0]?.push.kind, 'idle')
  })

  it('that failed is retried by the timer too, after 5 s, 15 s, 60 s, and then every 5 minutes', () => {
    for (const end of [failed(), uncertain]) {
      const stage = published().happen(daily, end)
      stage.pushed()
      for (const waitMs of [...retryMs, retryMs[3], retryMs[3]]) {
        assert.deepEqual(
          stage
            .wait(waitMs - 1)
            .happen(deadline)
            .pushed(),
          [],
        )
        assert.equal(stage.wait(1).happen(deadline).pushed().length, 1)
        stage.happen(end)
      }
      assert.equal(stage.wait(retryMs[3]).happen(retry, accepted).push.publishedStatus, 'degraded')
      stage.pushed()
      assert.deepEqual(stage.happen(deadline, retry).pushed(), [])
    }
  })

  it('that failed is retried by the timer on time even if heartbeats retry it earlier', () => {
    const stage = published().happen(degraded, failed()).wait(retryMs[0]).happen(deadline, failed())
    stage.wait(1_000).happen(degraded, failed()).wait(1_000).happen(degraded, failed())
    stage.pushed()
    assert.deepEqual(
      stage
        .wait(retryMs[1] - 2_001)
        .happen(deadline)
        .pushed(),
      [],
    )
    assert.equal(stage.wait(1).happen(deadline).pushed().length, 1)
  })

  it('that failed waits on after a restart, by the wall clock', () => {
    const stage = published().happen(degraded, failed()).wait(retryMs[0]).happen(deadline, failed())
    stage.wait(10_000).restart(7)
    stage.pushed()
    assert.deepEqual(
      stage
        .wait(retryMs[1] - 10_001)
        .happen(deadline)
        .pushed(),
      [],
    )
    assert.equal(stage.wait(1).happen(deadline).pushed().length, 1)
    const late = published().happen(degraded, failed()).wait(86_400_000).restart()
    late.pushed()
    assert.equal(late.happen(deadline).pushed().length, 1)
  })

  it('of another status begins with the first wait again, and of an earlier failure nothing is left', () => {
    const stage = published().happen(degraded, failed()).wait(retryMs[0]).happen(deadline, failed(), down, failed())
    stage.pushed()
    assert.equal(stage.wait(retryMs[0]).happen(deadline).pushed().length, 1)
    const back = published().happen(degraded, failed(), up)
    assert.equal(back.component.publications[0]?.push.kind, 'idle')
  })

  it('states when the status changed, however late it is sent and however many heartbeats came meanwhile', () => {
    const stage = published().wait(1_000).happen(down, failed())
    const changedAt = stage.wall
    stage.wait(60_000).happen(down, failed()).wait(retryMs[2]).happen(deadline, failed())
    stage.wait(timeoutMs).happen(deadline, failed()).wait(86_400_000).restart().happen(deadline, accepted)
    assert.deepEqual(new Set(stage.notices.map(({ reportedAt }) => reportedAt)), new Set([changedAt]))
    const queued = published().happen(degraded).wait(1_000).happen(down)
    const downAt = queued.wall
    queued.wait(30_000).happen(down, accepted)
    assert.equal(queued.notices.at(-1)?.reportedAt, downAt)
  })

  it('of an outage that is reported after a silence states when the silence began, unless that is not published', () => {
    const stage = published().wait(timeoutMs).happen(deadline, accepted).wait(60_000).happen(down)
    assert.equal(stage.component.changedAt, stage.wall - 60_000)
    const hidden = published({ publishesSilence: false }).wait(timeoutMs).happen(deadline).wait(60_000).happen(down)
    assert.deepEqual([hidden.push.notice?.status, hidden.push.notice?.reportedAt], ['outage', hidden.wall])
    const reported = published({}, 'outage').wait(timeoutMs).happen(deadline).happen(down)
    assert.equal(reported.component.changedAt, reported.wall - timeoutMs)
  })

  it('that failed is not retried once its status is no longer wanted', () => {
    assert.deepEqual(published().happen(degraded, failed(), up).pushed(), ['degraded 2'])
  })

  it('sends the status that is wanted when its turn comes, or nothing', () => {
    assert.deepEqual(published().happen(degraded, down, overtaken).pushed(), ['degraded 2', 'outage 3'])
    assert.equal(published().happen(degraded, up, overtaken).push.isSending, false)
  })

  it('after a 429 waits for Retry-After: heartbeats up to 60 s, the timer up to an hour, across restarts', () => {
    for (const asked of [2_000, 60_000, 600_000, 7_200_000]) {
      const given = Math.min(asked, 60_000)
      const stage = published().happen(degraded, throttled(asked))
      stage.wait(given - 1).happen(degraded, down, degraded)
      if (asked % 600_000 === 0) stage.restart().happen(degraded)
      assert.deepEqual(stage.pushed(), ['degraded 2'])
      assert.deepEqual(stage.wait(1).happen(degraded).pushed(), ['degraded 3'])
      const alone = published().happen(daily, throttled(asked))
      alone.pushed()
      const capped = Math.min(asked, 3_600_000)
      const timerMs = capped + 0.05 * Math.min(capped, 75_000)
      assert.deepEqual(
        alone
          .wait(timerMs - 1)
          .happen(deadline)
          .pushed(),
        [],
      )
      assert.equal(alone.wait(1).happen(deadline).pushed().length, 1)
    }
  })

  it('after a 503 with Retry-After waits for it, but not with a heartbeat', () => {
    const stage = published().happen(daily, failed(600_000))
    stage.wait(603_749).happen(deadline)
    assert.deepEqual(stage.pushed(), ['degraded 2'])
    assert.deepEqual(stage.happen(degraded, failed(), deadline).pushed(), ['degraded 3'])
  })

  it('is never sent without a page, and publishedStatus stays null', () => {
    const stage = new Stage({ targets: [] }).happen(degraded, accepted, down).wait(timeoutMs).happen(deadline)
    stage.wait(retryMs[0]).happen(deadline).restart().happen(up)
    assert.deepEqual([stage.pushed(), stage.push.publishedStatus, stage.incidents.length], [[], null, 1])
  })
})

describe('The push of a silence', () => {
  it('that failed is retried by the timer', () => {
    for (const end of [failed(), uncertain]) {
      const stage = silent().wait(4_000).happen(end)
      stage.pushed()
      stage.wait(retryMs[0] - 1).happen(deadline)
      assert.deepEqual(stage.pushed(), [])
      assert.deepEqual(stage.wait(1).happen(deadline, deadline).pushed(), [end === uncertain ? 'outage 2' : 'outage 3'])
      // Once more after a doubt.
      const asserted = end === uncertain ? ['outage 3'] : []
      assert.deepEqual(stage.happen(accepted).wait(60_000).happen(deadline).pushed(), asserted)
      assert.deepEqual(stage.happen(accepted).wait(60_000).happen(deadline).pushed(), [])
    }
  })

  it('is retried after a restart without another silence', () => {
    for (const end of [[], [failed()], [uncertain]]) {
      const stage = published({}, 'maintenance').wait(maintenanceMs).happen(deadline)
      stage.happen(...end).restart()
      stage.pushed()
      stage.wait(retryMs[0])
      assert.equal(stage.happen(deadline, deadline).pushed().length, 1)
    }
  })

  it('waits for the push in flight', () => {
    const stage = published().happen(degraded).wait(timeoutMs).happen(deadline)
    assert.deepEqual(stage.pushed(), ['degraded 2'])
    assert.deepEqual(stage.happen(failed()).pushed(), ['outage 3'])
  })
})

describe('A recovery', () => {
  const flapMs = 30_000

  it('is published after it has lasted for STATUS_FLAP_SECONDS, by heartbeat or timer', () => {
    for (const event of [up, deadline]) {
      const stage = published({ flapMs }, 'outage').wait(1_000).happen(up)
      assert.deepEqual(
        stage
          .wait(flapMs - 1)
          .happen(event)
          .pushed(),
        [],
      )
      assert.deepEqual(stage.wait(1).happen(event).pushed(), ['operational 2'])
    }
  })

  it('that ends earlier is not published; an outage or announced maintenance is published at once', () => {
    const stage = published({ flapMs }, 'outage')
      .happen(up)
      .wait(flapMs - 1)
      .happen(down)
      .wait(1)
      .happen(deadline, up)
    assert.deepEqual(
      stage
        .wait(flapMs - 1)
        .happen(deadline)
        .pushed(),
      [],
    )
    assert.deepEqual(stage.happen({ kind: 'maintenance', id: 'a' }).pushed(), ['maintenance 2'])
    assert.deepEqual(published({ flapMs }).happen(down).pushed(), ['outage 2'])
    assert.deepEqual(silent({ flapMs }).pushed(), ['outage 2'])
  })
})
