import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { until } from '../status/worker-stage.ts'
import { kill, type Process, start } from '../support/killed-worker.ts'
import { testFolder } from '../support/test-folder.ts'

const answerOf = async (asked: Promise<Response>) => {
  const answer = await asked
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  return { status: answer.status, body: (await answer.json()) as any }
}

const clientOf = ({ url }: Process) => ({
  beat: (id: string, status: string) =>
    answerOf(
      fetch(`${url}/heartbeat/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ status }),
      }),
    ),
  get: (path: string) => answerOf(fetch(url + path)),
  retire: (id: string) => answerOf(fetch(`${url}/components/${id}`, { method: 'DELETE' })),
})

/** No file of this process may grow, which SQLite reports as a full disk. */
const fill = ({ child }: Process) => execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=1:'])
const free = ({ child }: Process) => execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:'])

describe('A worker with a full disk', { skip: process.platform !== 'linux' && 'prlimit is of Linux' }, () => {
  it('refuses heartbeats, which have no effect, and continues when there is space', async () => {
    const folder = testFolder()
    const worker = await start({ DATA_DIR: folder })
    const { beat, get, retire } = clientOf(worker)
    assert.equal((await beat('a', 'degraded')).status, 200)
    const { body: known } = await get('/health/a')
    const { body: history } = await get('/history/a')

    fill(worker)
    const refused = { status: 503, body: { ok: false, error: 'State could not be saved, please try again' } }
    assert.deepEqual(await beat('a', 'outage'), refused)
    assert.deepEqual(await beat('a', 'degraded'), refused)
    assert.deepEqual(await beat('b', 'degraded'), refused)
    assert.deepEqual(await retire('a'), refused)
    const { body: found } = await get('/health/a')
    assert.deepEqual({ ...found, secondsSinceLastHeartbeat: 0 }, { ...known, secondsSinceLastHeartbeat: 0 })
    assert.deepEqual((await get('/history/a')).body, history)
    assert.equal((await get('/health/b')).status, 404)
    assert.equal((await get('/livez')).status, 200)

    free(worker)
    await until(async () => (await beat('a', 'outage')).status === 200)
    assert.equal((await beat('b', 'degraded')).status, 200)
    await kill(worker)

    const next = await start({ DATA_DIR: folder })
    const { body } = await clientOf(next).get('/health')
    const shown = body.components.map((each: Record<string, unknown>) => [each.componentId, each.lastReportedStatus])
    assert.deepEqual(shown, [
      ['a', 'outage'],
      ['b', 'degraded'],
    ])
    const { transitions } = (await clientOf(next).get('/history/a')).body
    assert.deepEqual(
      transitions.map(({ to }: Record<string, unknown>) => to),
      ['outage', 'degraded'],
    )
    await kill(next)
  })
})
