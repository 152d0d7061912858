import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { head, Wire } from '../http/wire.ts'
import { Running, until } from './processes.ts'

const get = (path: string) => head('GET', path)
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status)

describe('A shutdown of the API', { concurrency: true }, () => {
  it('lasts SHUTDOWN_DELAY_SECONDS, during which every request is served, with /ready at 503', async () => {
    const running = await Running.listening('api', { env: { SHUTDOWN_DELAY_SECONDS: '3600' } })
    const open = new Wire(running.port).send(get('/health'))
    await open.answer()
    running.child.kill('SIGTERM')
    await running.said(/"delayMs":3600000.*api is stopping/)
    for (const wire of [open, new Wire(running.port).send(get('/health'))]) {
      const answers = await wire.send(get('/ready') + get('/health')).answers(3)
      assert.deepEqual(statuses(answers), [200, 503, 200])
      for (const { headers } of answers) assert.equal(headers.connection, 'keep-alive')
      wire.close()
    }
    // The first signal that comes more than a second after it forces the end.
    await until(() => !running.child.kill('SIGTERM') || running.child.exitCode !== null)
    assert.equal((await running.ended).code, 1)
  })

  it('ends by itself after SHUTDOWN_DELAY_SECONDS', async () => {
    const running = await Running.listening('api', { env: { SHUTDOWN_DELAY_SECONDS: '1' } })
    running.child.kill('SIGTERM')
    assert.equal((await running.ended).code, 0)
  })
})
