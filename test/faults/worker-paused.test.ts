import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../support/folder.ts'
import { kill, start } from '../support/killed-worker.ts'

describe('A worker that stood still', () => {
  it('blames nobody for it, however short the silence is that it looks for, and however seldom', async () => {
    const folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, HEARTBEAT_TIMEOUT_SECONDS: '2', STATUS_CHECK_INTERVAL_SECONDS: '4' }
    const worker = await start(env)
    const ids = ['a', 'b', 'c', 'd', 'e']
    let isOver = false
    const beating = Promise.all(
      ids.map(async (id) => {
        while (!isOver) {
          const headers = { 'content-type': 'application/json' }
          await fetch(`${worker.url}/heartbeat/${id}`, { method: 'POST', headers, body: '{"status":"operational"}' })
          await sleep(200)
        }
      }),
    )
    // It has looked just now, and looks again as soon as it goes on.
    await sleep(4_300)
    worker.child.kill('SIGSTOP')
    await sleep(3_900)
    worker.child.kill('SIGCONT')
    await sleep(3_000)
    isOver = true
    await beating
    const { incidents } = (await (await fetch(`${worker.url}/incidents`)).json()) as { incidents: unknown[] }
    assert.deepEqual(incidents, [])
    await kill(worker)
    folder.remove()
  })
})
