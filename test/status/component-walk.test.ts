import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Component, Event } from '../../src/status/component.ts'
import type { Status } from '../../src/status/statuses.ts'
import { seedsOr } from '../support/seed.ts'
import { sized, someOf } from '../support/size.ts'
import {
  accepted,
  deadline,
  failed,
  heartbeat,
  maintenanceMs,
  overtaken,
  pause,
  published,
  retryMs,
  Stage,
  silent,
  start,
  throttled,
  timeoutMs,
  uncertain,
  unsaved,
} from './component-stage.ts'
import { Walk } from './component-walk-stage.ts'

const begin: Event = { kind: 'maintenance', id: 'w' }
const end: Event = { kind: 'maintenance', id: null }
const by = (instance: string, status: Status) => heartbeat(status, { instance })
const [up, degraded, down] = [heartbeat('operational'), heartbeat('degraded'), heartbeat('outage')]

describe('A pair of events', () => {
  const kinds: readonly Event[] = [
    up,
    down,
    deadline,
    accepted,
    failed(),
    throttled(30_000),
    uncertain,
    overtaken,
    start,
    pause,
    unsaved('degraded'),
    begin,
    end,
    by('a', 'partial'),
  ]
  const times = someOf(2, [0, 1_000, retryMs[0], timeoutMs, maintenanceMs])
  const prepared: Record<string, () => Stage> = {
    'just registered': () => new Stage(),
    'just registered and refused': () => new Stage().happen(failed()),
    published: () => published(),
    'published in maintenance': () => published({}, 'maintenance'),
    refused: () => published().happen(degraded, failed()),
    'told to wait': () => published().happen(degraded, throttled(60_000)),
    'in doubt': () => published().happen(degraded, uncertain),
    'in doubt, and back': () => published().happen(degraded, uncertain, up),
    'in doubt, and back, and refused': () => published().happen(degraded, uncertain, up, failed()),
    'changed while pushing': () => published().happen(degraded, down),
    'changed back while pushing': () => published().happen(degraded, up),
    silent: () => silent(),
    'silent and published': () => silent().happen(accepted),
    'silent and refused': () => silent().happen(failed()),
    'silent and in doubt': () => silent().happen(uncertain),
    'silent while pushing': () => published().happen(degraded).wait(timeoutMs).happen(deadline),
    'killed while pushing': () => published().happen(degraded).restart(),
    'killed while pushing a silence': () => silent().restart(),
    'in maintenance': () => published().happen(begin, accepted),
    'silent in maintenance, and refused': () => silent().happen(begin, accepted, failed()),
    'silent in secret': () => silent({ publishesSilence: false }),
    'refused and silent in secret': () => published({ publishesSilence: false }).happen(degraded, failed()),
    'of several instances': () => published().happen(by('a', 'operational'), by('b', 'outage')),
    'without a service': () => new Stage({ targets: [] }),
    'without a service, and silent': () => new Stage({ targets: [] }).wait(timeoutMs).happen(deadline),
  }

  /** Two heartbeats with a healthy page. */
  function calm(stage: Stage): void {
    stage.happen(end)
    for (let beat = 0; beat < 2; beat++) {
      stage.wait(60_000).happen(up)
      for (let push = 0; push < 2 && stage.push.isSending; push++) stage.happen(accepted)
    }
    const { publishedStatus, isSending, isInDoubt } = stage.push
    const last = stage.rules.targets.length === 0 ? null : 'operational'
    assert.deepEqual([publishedStatus, stage.component.incident, isSending, isInDoubt], [last, null, false, false])
  }

  const again = (stage: Stage, event: Event): [Component, Component] => {
    const before = stage.component
    return [stage.happen(event).component, before]
  }

  for (const [name, prepare] of Object.entries(prepared)) {
    it(`keeps every invariant and settles afterwards: the component is ${name}`, () => {
      for (const first of kinds)
        for (const second of someOf(7, kinds))
          for (const ms of times) calm(prepare().wait(ms).happen(first).wait(ms).happen(second))
    })

    it(`is idempotent: the component is ${name}`, () => {
      for (const event of [up, down, deadline, start])
        for (const ms of [0, retryMs[0], timeoutMs, maintenanceMs]) {
          const stage = prepare().wait(ms).happen(event)
          const [after, before] = again(stage, event)
          assert.deepEqual([after, stage.effects], [before, []], event.kind)
        }
      for (const event of [accepted, failed(), uncertain]) {
        // If a newer status was queued, the second event ends its push.
        const stage = prepare().happen(event, event)
        const [after, before] = again(stage, event)
        assert.deepEqual([after, stage.effects], [before, []], event.kind)
      }
    })
  }
})

const steps = sized(4_000, 20_000)
const everything = ['opened', 'resolved', 'heartbeat pushed', 'same number again', 'accepted', 'refused']
everything.push(
  'unsaved',
  'answer lost',
  'push lost',
  'killed while pushing',
  'slept',
  'quiet',
  'newer waits',
  'overtaken',
  'instances differ',
  'repeated by the timer',
)

describe('A component on a random walk', () => {
  for (const publishesSilence of [true, false])
    for (const seed of someOf(1, seedsOr(1, 2, 3, 4))) {
      const title = `keeps every invariant: seed ${seed}, silence ${publishesSilence ? 'is' : 'is not'} published`
      it(title, () => {
        const walk = new Walk(seed, publishesSilence)
        for (let step = 0; step < steps; step++) {
          try {
            walk.step()
          } catch (error) {
            throw new Error(`step ${step}, after ${walk.history.slice(-16).join(' ')}`, { cause: error })
          }
        }
        walk.quiet()
        const expected = publishesSilence ? [...everything, 'silence pushed'] : everything
        for (const each of expected) assert.ok((walk.seen.get(each) ?? 0) >= 20, `too few: ${each}`)
      })
    }
})
