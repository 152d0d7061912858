import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kill, start } from '../support/killed-worker.ts'
import { sized } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { atLeast } from '../support/until.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
const silenceMs = 2_000
const everyMs = sized(3_000, 4_000)

/**
 * Suspends a worker that gets constant heartbeats; those of `quiet` pause with it, so that none of them waits to be read
 * before the deadlines are checked. Returns its incidents, and the longest gap between heartbeats.
 */
async function pause() {
  const folder = testFolder()
  const seconds = {
    HEARTBEAT_TIMEOUT_SECONDS: String(silenceMs / 1_000),
    STATUS_CHECK_INTERVAL_SECONDS: String(everyMs / 1_000),
  }
  const worker = await start({ DATA_DIR: folder, ...seconds })
  let isOver = false
  let longestMs = 0
  let wentOnAt = 0
  const beat = (id: string) => fetch(`${worker.url}/heartbeat/${id}/operational`, { method: 'POST' })
  const beating = ids.map(async (id) => {
    for (let heardAt = performance.now(); !isOver; await atLeast(200)) {
      await beat(id)
      const now = performance.now()
      longestMs = Math.max(longestMs, now - Math.max(heardAt, wentOnAt))
      heardAt = now
    }
  })
  // Just after its start, or a check: it checks as soon as it continues.
  await atLeast(sized(0, everyMs) + 300)
  await beat('quiet')
  wentOnAt = Infinity
  worker.child.kill('SIGSTOP')
  await atLeast(everyMs - 100)
  worker.child.kill('SIGCONT')
  wentOnAt = performance.now()
  await atLeast(500)
  await beat('quiet')
  longestMs = Math.max(longestMs, performance.now() - wentOnAt)
  await atLeast(sized(500, 2_500))
  isOver = true
  await Promise.all(beating)
  const { incidents } = (await (await fetch(`${worker.url}/incidents`)).json()) as { incidents: unknown[] }
  await kill(worker)
  return { incidents, longestMs }
}

describe('A worker that was suspended', () => {
  it('opens no incident for the pause, whatever the timeout and the check interval', async () => {
    // If this process was too slow to send heartbeats in time, the incident is correct: try again.
    let found = await pause()
    for (let more = 0; found.longestMs > silenceMs / 2 && more < 4; more++) found = await pause()
    assert.deepEqual(found.incidents, [])
  })
})
