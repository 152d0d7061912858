import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { Balancer } from '../support/balancer-programs.ts'
import { startBalancer } from '../support/balancers.ts'
import { password, startService } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { missingOrSlow, read } from './tools.ts'

/** deploy/Caddyfile with a certificate issued by Caddy itself; every text that is replaced here must be in it. */
function caddyFor(places: { folder: string }): Balancer {
  return {
    name: 'caddy',
    program: '/usr/bin/caddy',
    arguments: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    configuration({ folder, port, backends }) {
      places.folder = folder
      const here = [
        ['{$DOMAIN}', `https://localhost:${port}`],
        ['api-1:3000 api-2:3000', backends.map((backend) => `127.0.0.1:${backend}`).join(' ')],
        ['health_interval 2s', 'health_interval 100ms'],
      ] as const
      const file = here.reduce((result, [from, to]) => {
        assert.ok(result.includes(from), from)
        return result.replace(from, to)
      }, read('deploy/Caddyfile'))
      const options = ['admin off', 'skip_install_trust', 'local_certs', 'auto_https disable_redirects']
      // Without HTTP/3, whose UDP port is what reserves the port.
      return `{\n${options.join('\n')}\ndefault_bind 127.0.0.1\nservers {\nprotocols h1 h2\n}\nlog {\nlevel ERROR\n}\n}\n${file}`
    },
  }
}

describe('deploy/Caddyfile', () => {
  const places = { folder: '' }
  const caddy = caddyFor(places)

  it('serves TLS, balances two instances, passes on addresses and refusals, and hides an instance that ends', {
    skip: missingOrSlow('caddy'),
  }, async (t) => {
    const place = await (stores[0] as Store).make()
    t.after(() => place.drop())
    const env = {
      TRUST_PROXY: '127.0.0.1',
      METRICS_ALLOW: '127.0.0.1',
      BASE_URL: 'https://localhost',
      OWNER_USERNAME: 'olivia',
      OWNER_PASSWORD: password,
    }
    const services = [await startService({ place, env }), await startService({ place, env })]
    const port = await startBalancer(
      caddy,
      services.map((service) => service.port),
    )
    const root = () => join(places.folder, '.local/share/caddy/pki/authorities/local/root.crt')
    let agent = new Agent()
    t.after(() => agent.destroy())
    const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) => {
      const options = { agent, host: 'localhost', port, family: 4, localAddress: '127.0.0.2', method, path, headers }
      const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
        request(options).once('response', resolve).once('error', reject).end(body),
      )
      return { status: response.statusCode, headers: response.headers, body: await text(response) }
    }

    // Caddy listens before it has issued its certificates.
    await until(async () => {
      if (!existsSync(root())) return false
      agent = new Agent({ ca: readFileSync(root()), keepAlive: true })
      const isServed = await ask('GET', '/health').then(
        ({ status }) => status === 200,
        () => false,
      )
      if (!isServed) agent.destroy()
      return isServed
    }, 'the first reply')
    for (let index = 0; index < 8; index++) await ask('GET', '/', { 'x-forwarded-for': '203.0.113.9' })
    for (const service of services) {
      const lines = service.logged().filter(({ path }) => path === '/')
      assert.ok(lines.length > 0)
      assert.ok(lines.every(({ address }) => address === '127.0.0.2'))
    }
    assert.match((await ask('GET', '/')).headers['strict-transport-security'] ?? '', /^max-age=/)
    assert.equal((await ask('GET', '/metrics')).status, 403)

    const { body } = (await services[0]?.login('olivia')) ?? {}
    const upload = (size: number) =>
      ask(
        'POST',
        '/admin/s3/upload?bucketName=images&objectName=fox/large.png',
        { authorization: body.accessToken, 'content-type': 'image/png' },
        Buffer.alloc(size),
      )
    assert.equal((await upload(2_000_000)).status, 200)
    const refused = await upload(20_971_521)
    assert.deepEqual(
      [refused.status, JSON.parse(refused.body)],
      [413, { status: 413, message: 'Request body is too large' }],
    )

    const closed = services[0]?.close()
    const statuses: (number | undefined)[] = []
    for (let index = 0; index < 40; index++) statuses.push((await ask('GET', '/health')).status)
    await closed
    for (let index = 0; index < 10; index++) statuses.push((await ask('GET', '/health')).status)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})
