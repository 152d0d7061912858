import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Program, Running } from '../bin/processes.ts'
import { head } from '../http/wire.ts'
import { missing } from '../support/balancer-programs.ts'
import { balancers, startBalancer } from '../support/balancers.ts'
import { startBusyClients } from '../support/busy-clients.ts'
import { highLimits } from '../support/limits.ts'
import { sized, someOf } from '../support/size.ts'

const stops = Number(process.env.STOPS || sized(1, 2, 4))
const count = 64
const timeout = 60_000 + stops * 30_000

const body = '{}'
const post = (path: string) => head('POST', path, { 'Content-Length': body.length }) + body

async function startListening(program: Program): Promise<Running> {
  const running = await Running.listening(program, { env: highLimits })
  running.child.stdout?.resume()
  return running
}

async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
}

describe(`SIGTERM with ${count} busy clients`, () => {
  for (const [program, path] of [
    ['api', '/auth/login'],
    ['status-worker', '/heartbeat/busy'],
  ] as const) {
    it(`loses no request: ${program}`, { timeout }, async (t) => {
      for (let index = 0; index < stops; index++) {
        const running = await startListening(program)
        const port = program === 'api' ? running.port : running.statusPort
        const clients = startBusyClients({ port, count, request: () => post(path) })
        await clients.answeredEach(5)
        await stop(running)
        await clients.refused()
        assert.deepEqual(clients.lost, [])
        t.diagnostic(`${clients.answered} answered`)
      }
    })
  }

  for (const balancer of someOf(1, balancers)) {
    it(`loses no request through ${balancer.name}`, { timeout, skip: missing(balancer) }, async (t) => {
      const all: Running[] = []
      for (let index = 0; index <= stops; index++) all.push(await startListening('api'))
      const port = await startBalancer(
        balancer,
        all.map((each) => each.port),
      )
      const clients = startBusyClients({ port, count, request: () => head('GET', '/health') })
      for (const running of all.slice(1)) {
        await clients.answeredEach(5)
        await stop(running)
      }
      await clients.answeredEach(5)
      await clients.stop()
      assert.deepEqual(clients.lost, [])
      t.diagnostic(`${clients.answered} answered`)
    })
  }
})
