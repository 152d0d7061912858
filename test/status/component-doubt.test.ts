import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accepted, deadline, failed, heartbeat, published, uncertain } from './component-stage.ts'

const [up, degraded] = [heartbeat('operational'), heartbeat('degraded')]

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
