import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { readSlowly } from '../images/client.ts'
import { atEnd } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { send } from '../support/send.ts'
import { isFullSize } from '../support/size.ts'
import { queryServer } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { atLeast, until } from '../support/until.ts'
import { startCluster } from './cluster.ts'
import { startLoad } from './load.ts'
import { missingServices, startServices } from './services.ts'
import { prepare } from './under-load.ts'

const skip = isFullSize ? missing(haproxy) || missingServices('postgresql redis') : 'in npm run test:all'
const perSecond = 500
const downloads = 50
const held = 20
/** More than the kernel holds for a client that does not read. */
const large = randomBytes(4_000_000)
/** Every register but the first waits longer than the test. */
const throttle = {
  RATE_LIMIT_REGISTER_SLOW_AFTER: '1',
  RATE_LIMIT_REGISTER_SLOW_STEP_MS: '600000',
  RATE_LIMIT_REGISTER_SLOW_CAP_MS: '600000',
}
const accountOf = (username: string) => ({ username, password: 'correct horse battery' })

describe(`SIGTERM under ${perSecond} requests a second, ${downloads} downloads and ${held} held requests`, {
  skip,
}, () => {
  it('finishes what has begun, answers held requests with 503, saves every count, and exits with 0', {
    timeout: 300_000,
  }, async (t) => {
    const { stop, ...services } = await startServices('postgresql redis')
    atEnd(stop)
    const store = await ScriptedS3.open()
    const s3 = { endpoint: store.endpoint, keyId: 'key', secret: 'a secret of the store' }
    const place = { ...services, s3, folder: testFolder(), balancer: haproxy }
    const cluster = await startCluster({ ...place, env: { ...throttle, SHUTDOWN_DELAY_SECONDS: '0' } })
    atEnd(cluster.close)
    const [instance = assert.fail()] = cluster.instances
    const { url, port } = instance
    store.put(cluster.bucket, 'bird/large.png', large, { type: 'image/png' })
    await prepare(cluster)
    const register = (name: string) => send('POST', `${url}/auth/register`, { body: accountOf(name) })
    const token: string = (await register('reader')).body.accessToken
    const countOf = async () => {
      const [row] = await queryServer("SELECT total FROM users WHERE username = 'reader'", services.databaseUrl)
      return Number(row?.total)
    }
    // Until the register is counted.
    await atLeast(2_000)
    const before = await countOf()

    const readers = Array.from({ length: downloads }, () => readSlowly(port, '/i/bird/large.png'))
    await Promise.all(readers.map(({ begun }) => begun))
    const waiting = Array.from({ length: held }, (_, index) => register(`held-${index}`))
    const isHeld = async () =>
      (await send('GET', `${url}/metrics`)).text.includes(`\nmenagerie_held_requests ${held}\n`)
    await until(isHeld, 'the requests are held')
    const next = () => ({ method: 'GET', path: '/images/pat/random', token }) as const
    // Kept connections, which the downloads would make idle here for longer than a stop waits, are in test/faults/stops.test.ts.
    const load = startLoad({ url, perSecond, next, isKeptAlive: false })
    t.after(load.stop)
    await until(() => load.count > 4 * perSecond, 'some load')

    const ended = once(instance.process ?? assert.fail(), 'exit')
    const stoppedAt = performance.now()
    instance.process?.kill('SIGTERM')
    for (const { status, text } of await Promise.all(waiting)) assert.equal(status, 503, text)
    const heldMs = performance.now() - stoppedAt
    for (const bytes of await Promise.all(readers.map((reader) => reader.rest())))
      assert.ok(bytes.subarray(-large.length).equals(large), `${bytes.length} bytes of a download`)
    const [code] = await ended
    const ms = performance.now() - stoppedAt
    await load.stop()
    assert.equal(code, 0)
    // The kernel refuses new connections, and resets one that it held when the socket closed. The counts below show that
    // no request was lost that the process had read.
    const refused = load.failed.filter((each) => each.includes('ECONNREFUSED'))
    const reset = load.failed.filter((each) => /ECONNRESET|EPIPE/.test(each))
    assert.equal(refused.length + reset.length, load.failed.length, load.failed.join('\n'))
    const answered = load.count - load.failed.length
    assert.equal((await countOf()) - before, answered)
    t.diagnostic(
      `${answered} answered, ${reset.length} reset; held requests after ${Math.round(heldMs)} ms, the end after ${Math.round(ms)}`,
    )
  })
})
