import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { openClient } from '../../src/drivers/status-pages/client.ts'
import { createLogs } from '../../src/process/logger.ts'
import { createSelfCheck } from '../../src/worker/self-check.ts'
import { openWorker } from '../status/worker-stage.ts'
import { fakeClock } from '../support/clock.ts'
import { until } from '../support/until.ts'

/** A monitor elsewhere; `answer` may be replaced. */
async function monitor() {
  const asked: string[] = []
  const stage = {
    asked,
    answer: (response: ServerResponse): void => void response.end('ok'),
    url: '',
    close: async () => {},
  }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    stage.answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stage.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/a-secret?x=1`
  stage.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return stage
}

async function checked(url: string | null = null) {
  const clock = fakeClock()
  const lines: string[] = []
  const { log } = createLogs('info', clock, { write: (line) => lines.push(line), flush() {} })
  const state = { holdsLease: true, isFull: false, probes: 0 }
  const store = {
    holdsLease: () => state.holdsLease,
    async probe() {
      state.probes += 1
      if (state.isFull) throw new Error('full')
    },
  }
  const check = createSelfCheck({ store, clock, log, url, client: openClient(300) })
  return { clock, state, check, lines }
}

describe('The self-check of the leader', () => {
  it('pings its URL while it leads, ticks and can save, and not otherwise', async () => {
    const elsewhere = await monitor()
    const { clock, state, check } = await checked(elsewhere.url)
    assert.equal(check.isWorking, null)
    const pingsAfter = async (change: () => void) => {
      change()
      await check.check()
      return [check.isWorking, elsewhere.asked.splice(0)]
    }
    const works = [true, ['GET /ping/a-secret?x=1']]
    assert.deepEqual(await pingsAfter(() => {}), works)
    assert.deepEqual(await pingsAfter(() => clock.advance(5_001)), [false, []], 'it does not tick')
    assert.deepEqual(await pingsAfter(check.ticked), works)
    state.isFull = true
    assert.deepEqual(await pingsAfter(() => {}), [false, []], 'it cannot save')
    state.isFull = false
    state.holdsLease = false
    assert.deepEqual(await pingsAfter(() => {}), [false, []], 'it does not lead')
    assert.equal(state.probes, 3)
    state.holdsLease = true
    assert.deepEqual(await pingsAfter(() => {}), works)
    assert.deepEqual(check.pings, { ok: 3, failed: 0 })
    await check.close()
    await elsewhere.close()
  })

  it('follows no redirect, waits for no body and no slow response, and logs a failure once, without the URL', async () => {
    const elsewhere = await monitor()
    const { check, lines } = await checked(elsewhere.url)
    const faults: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
      (response) => response.writeHead(500).end(),
      () => {},
      (response) => response.destroy(),
    ]
    for (const answer of faults) {
      elsewhere.answer = answer
      await check.check()
    }
    assert.deepEqual([check.pings, elsewhere.asked.length], [{ ok: 0, failed: 4 }, 4])
    elsewhere.answer = (response) => {
      response.writeHead(200).write('a body that never ends')
    }
    await check.check()
    assert.equal(check.pings.ok, 1)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['the ping to STATUS_PING_URL failed', 'the ping to STATUS_PING_URL succeeds again'],
    )
    assert.doesNotMatch(lines.join(''), /secret|127\.0\.0\.1/)
    await check.close()
    await elsewhere.close()
    await check.check()
    assert.equal(check.pings.failed, 5)
  })
})

describe('A worker with STATUS_PING_URL', () => {
  it('pings at once when it becomes the leader, whatever components report, and shows the URL nowhere', async () => {
    const elsewhere = await monitor()
    const worker = await openWorker({ env: { STATUS_PING_URL: elsewhere.url } })
    await worker.beat('api', 'outage')
    const metrics = async () => (await worker.ask('GET', '/metrics')).text
    await until(async () => (await metrics()).includes('menagerie_status_pings_total{outcome="ok"} 1'))
    assert.match(await metrics(), /menagerie_status_working 1/)
    const shown = (await metrics()) + (await worker.ask('GET', '/diag')).text + JSON.stringify(worker.logged())
    assert.doesNotMatch(shown, /a-secret/)
    await worker.close()
    await elsewhere.close()
  })
})
