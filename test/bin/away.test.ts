import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { isFullSize } from '../support/size.ts'
import { until } from '../support/until.ts'
import { type Program, Running } from './processes.ts'

const ways = ['refuses', 'hangs', 'fails'] as const

/** A port that refuses, accepts but stays silent, or sends a reply that none of our protocols expects. */
async function broken(t: TestContext, way: (typeof ways)[number]) {
  const port = await freePort()
  const seen = { port, tries: 0 }
  if (way === 'refuses') return seen
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    seen.tries += 1
    socket.on('error', () => {})
    if (way === 'fails') socket.once('data', () => socket.end('HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n'))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return seen
}

const s3Keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret-of-the-key' }
const address = (port: number) => `http://127.0.0.1:${port}`

interface Part {
  readonly name: string
  readonly program: Program
  readonly env: (port: number) => Record<string, string>
  /** Its name in the reply of /ready, which the worker does not have. */
  readonly check: string
}

const parts: readonly Part[] = [
  {
    name: 'the object store',
    program: 'api',
    env: (port) => ({ ...s3Keys, S3_ENDPOINT: address(port) }),
    check: 'objectStore',
  },
  {
    name: 'the object store whose bucket it is to create',
    program: 'api',
    env: (port) => ({ ...s3Keys, S3_ENDPOINT: address(port), S3_CREATE_BUCKET: 'true' }),
    check: 'objectStore',
  },
  { name: 'Redis', program: 'api', env: (port) => ({ REDIS_URL: `redis://127.0.0.1:${port}` }), check: 'redis' },
  {
    name: 'the status worker',
    program: 'api',
    env: (port) => ({ STATUS_WORKER_URL: address(port) }),
    check: 'statusWorker',
  },
  {
    name: 'the status page',
    program: 'status-worker',
    env: (port) => ({
      STATUS_SERVICE_KIND: 'native',
      STATUS_SERVICE_URL: address(port),
      STATUS_SERVICE_TOKEN: 'token-of-the-page-1234',
    }),
    check: '',
  },
]

const json = (method: string, body: unknown) => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** In `npm test`, the parts of a program fail together, each in one way. */
const cases = (['api', 'status-worker'] as const).flatMap((program) => {
  const own = parts.filter((part) => part.program === program)
  return isFullSize
    ? own.flatMap((part) => ways.map((way) => ({ program, failing: [{ ...part, way }] })))
    : [
        {
          program,
          failing: own.slice(-3).map((part, of) => ({ ...part, way: ways[(of + 1) % 3] as (typeof ways)[number] })),
        },
      ]
})

describe('Unavailable parts', { concurrency: true }, () => {
  describe('A process starts, serves, logs each once and stops with 0', { concurrency: 2 }, () => {
    for (const { program, failing } of cases)
      it(`while ${failing.map(({ name, way }) => `${name} ${way}`).join(' and ')}`, { timeout: 60_000 }, async (t) => {
        const seen = await Promise.all(failing.map(async (part) => Object.assign(await broken(t, part.way), part)))
        const running = await Running.listening(program, {
          env: Object.assign({}, ...seen.map(({ env, port }) => env(port))),
        })
        const alarms = () => running.out.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line))
        if (program === 'status-worker') {
          for (let beat = 0; beat < 3; beat++) {
            const status = beat % 2 === 0 ? 'operational' : 'degraded'
            const { status: answer } = await fetch(`${running.workerUrl}/heartbeat/one`, json('POST', { status }))
            assert.equal(answer, 200)
          }
        } else {
          const account = { username: 'somebody', password: 'correct horse battery' }
          assert.equal((await fetch(`${running.url}/auth/register`, json('POST', account))).status, 201)
          await until(async () => (await fetch(`${running.url}/ready`)).status === 200)
          const { checks } = (await (await fetch(`${running.url}/ready`)).json()) as { checks: Record<string, string> }
          assert.equal(checks.database, 'up')
          for (const { check } of seen) assert.equal(checks[check], 'degraded', check)
        }
        await until(() => alarms().length >= seen.length)
        for (const each of seen) if (each.way === 'fails') await until(() => each.tries >= 3)
        running.child.kill('SIGTERM')
        assert.deepEqual([(await running.ended).code, running.err], [0, ''])
        assert.equal(alarms().length, seen.length, running.out)
      })
  })

  describe('npm start with a store that comes up later', () => {
    // In npm test, test/faults/store.test.ts covers it.
    it('creates the bucket when the store is available, and images work', { skip: !isFullSize }, async (t) => {
      const s3 = await ScriptedS3.open('other')
      t.after(() => s3.close())
      await s3.stop()
      const owner = { username: 'keeper', password: 'correct horse battery' }
      const running = await Running.listening('start', {
        env: {
          ...s3Keys,
          S3_ENDPOINT: s3.endpoint,
          S3_CREATE_BUCKET: 'true',
          OWNER_USERNAME: owner.username,
          OWNER_PASSWORD: owner.password,
        },
      })
      await running.said(/a dependency is unavailable/)
      await s3.start()
      await running.said(/a dependency is available again/)
      const login = await fetch(`${running.url}/auth/login`, json('POST', owner))
      const { accessToken } = (await login.json()) as { accessToken: string }
      const headers = { Authorization: accessToken, 'Content-Type': 'image/png' }
      const upload = `${running.url}/admin/s3/upload?bucketName=images&objectName=fox/one.png`
      assert.equal((await fetch(upload, { method: 'POST', headers, body: 'the bytes' })).status, 200)
      const image = await fetch(`${running.url}/images/fox/random?as=bytes`, { headers })
      assert.deepEqual([image.status, await image.text()], [200, 'the bytes'])
      running.child.kill('SIGTERM')
      assert.deepEqual([(await running.ended).code, running.err], [0, ''])
    })
  })
})
