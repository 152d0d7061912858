import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accepted, deadline, failed, heartbeat, published, Stage, uncertain } from './component-stage.ts'

const [up, degraded, down] = [heartbeat('operational'), heartbeat('degraded'), heartbeat('outage')]

describe('A push with an unknown outcome', () => {
  it('is retried by the next heartbeat with the same sequence number', () => {
    const stage = published().happen(degraded, uncertain)
    assert.deepEqual(stage.happen(deadline).pushed(), ['degraded 2'])
    assert.deepEqual(stage.happen(degraded, uncertain, degraded).pushed(), ['degraded 2', 'degraded 2'])
    assert.deepEqual(stage.happen(failed(), degraded, accepted, degraded).pushed(), ['degraded 2'])
  })

  it('is followed by a push of the published status, because the page may show another', () => {
    const stage = published().happen(degraded, uncertain, up)
    assert.deepEqual(stage.pushed(), ['degraded 2', 'operational 3'])
    assert.deepEqual(stage.happen(uncertain, up, accepted, up).pushed(), ['operational 3'])
  })

  it('stays unknown over definite failures and restarts', () => {
    const stage = published().happen(degraded, uncertain, up, failed(), up, failed()).restart().restart(5)
    stage.pushed()
    assert.equal(stage.happen(up).pushed().length, 1)
    assert.equal(stage.happen(accepted).push.isInDoubt, false)
  })

  it('includes one in flight at kill -9', () => {
    const stage = published().happen(degraded).restart()
    assert.equal(stage.push.isSending, false)
    assert.deepEqual(stage.happen(degraded).pushed(), ['degraded 2', 'degraded 2'])
    const back = published().happen(degraded).restart().happen(up)
    assert.deepEqual(back.pushed(), ['degraded 2', 'operational 3'])
  })

  it('does not include one that was accepted before kill -9', () => {
    assert.deepEqual(published().restart().happen(up).pushed(), [])
  })
})

describe('A doubt that is over', () => {
  it('is followed a minute later by one assertion of what was accepted, by heartbeat or timer, across restarts', () => {
    for (const event of [up, deadline]) {
      const stage = published().happen(down, uncertain, up, accepted)
      stage.pushed()
      assert.deepEqual(stage.wait(59_999).happen(event).pushed(), [])
      assert.deepEqual(stage.wait(1).happen(event).pushed(), ['operational 4'])
      assert.deepEqual(stage.happen(accepted).wait(60_000).happen(event).pushed(), [])
    }
    const restarted = published().happen(down, uncertain, up, accepted).restart()
    restarted.pushed()
    assert.deepEqual(restarted.wait(60_000).happen(deadline).pushed(), ['operational 4'])
  })

  it('is followed by an assertion of the newest status, repeated if it fails, but not to an alert channel', () => {
    const stage = published().happen(down, uncertain, up, accepted, degraded, accepted)
    stage.pushed()
    assert.deepEqual(stage.wait(60_000).happen(deadline, failed()).pushed(), ['degraded 5'])
    assert.deepEqual(stage.happen(degraded, deadline).wait(60_000).happen(deadline).pushed(), ['degraded 6'])
    const alert = new Stage({ targets: [{ name: 'default', page: 'a channel', isAlert: true }] }, 'outage')
    alert.happen(uncertain, down, accepted).wait(60_000).happen(deadline)
    assert.deepEqual(alert.pushed(), ['outage 1', 'outage 1'])
  })
})
