import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { Settings } from '../../src/config/parser.ts'
import { settings } from '../../src/config/settings.ts'
import { bounds } from '../../src/http/bounds.ts'
import { type Balancer, missing, nginx, placed, recipes } from '../support/balancer-programs.ts'
import { startBalancer } from '../support/balancers.ts'
import { described, picture } from '../support/real-images.ts'
import { password, startService } from '../support/service.ts'

const caddy: Balancer = {
  name: 'caddy',
  program: '/usr/bin/caddy',
  arguments: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  configuration: ({ port, backends }) => `{
  admin off
  auto_https off
  default_bind 127.0.0.1
  log {
    level ERROR
  }
}
${placed('caddyfile', [
  ['menagerie.example.org', `http://127.0.0.1:${port}`],
  ['127.0.0.1:3000', `127.0.0.1:${backends[0]}`],
])}`,
}

/** Sends from another address than the proxy's own. */
async function get(port: number, path: string, headers: Record<string, string> = {}) {
  const sent = request({ port, path, headers, host: '127.0.0.1', localAddress: '127.0.0.2' }).end()
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  )
  return { status: response.statusCode, headers: response.headers, body: await text(response.setEncoding('latin1')) }
}

describe('The recipes of docs/proxy.md', () => {
  it('allow longer delays and larger bodies than the API, and close idle connections earlier', () => {
    const number = (pattern: RegExp) => Number(pattern.exec(recipes)?.[1])
    const delay = Number((settings as Settings).RATE_LIMIT_REGISTER_SLOW_CAP_MS?.default) / 1000
    assert.ok(number(/proxy_read_timeout (\d+)s/) > delay && number(/response_header_timeout (\d+)s/) > delay)
    const size = Number(settings.UPLOAD_MAX_BYTES.default)
    assert.ok(number(/client_max_body_size (\d+)m/) * 2 ** 20 > size && number(/max_size (\d+)MB/) * 1e6 > size)
    assert.ok(
      number(/keepalive (\d+)s/) * 1000 < bounds.idleMs && recipes.includes(`idle for ${bounds.idleMs / 1000} s`),
    )
  })

  for (const proxy of [nginx, caddy]) {
    it(`work: ${proxy.name} passes on addresses, large uploads, and refusals of the API`, {
      skip: missing(proxy),
    }, async () => {
      const service = await startService({
        env: {
          TRUST_PROXY: '127.0.0.1',
          METRICS_ALLOW: '127.0.0.1',
          OWNER_USERNAME: 'olivia',
          OWNER_PASSWORD: password,
        },
      })
      const port = await startBalancer(proxy, [service.port])
      const { body } = await service.login('olivia')
      await get(port, '/health', { 'x-forwarded-for': '203.0.113.9' })
      const line = service.logged().findLast(({ path }) => path === '/health')
      assert.equal(line?.address, '127.0.0.2')
      assert.equal((await get(port, '/metrics')).status, 403)

      const url = `http://127.0.0.1:${port}/admin/s3/upload?bucketName=images&objectName=fox/large.png`
      const headers = { authorization: body.accessToken, 'content-type': 'image/png' }
      const large = await fetch(url, {
        method: 'POST',
        headers,
        body: Buffer.alloc(2_000_000),
      })
      assert.equal(large.status, 200)
      const refused = await fetch(url, { method: 'POST', headers, body: Buffer.alloc(20_971_521) })
      assert.deepEqual(
        [refused.status, await refused.json()],
        [413, { status: 413, message: 'Request body is too large' }],
      )

      const image = await get(port, '/i/fox/large.png')
      assert.deepEqual([image.status, image.body.length], [200, 2_000_000])
      const range = { range: 'bytes=0-9' }
      assert.deepEqual(
        [(await get(port, '/i/fox/large.png', range)).status, (await get(port, '/i/fox/none.png')).status],
        [206, 404],
      )
      const unchanged = await get(port, '/i/fox/large.png', { 'if-none-match': String(image.headers.etag) })
      assert.equal(unchanged.status, 304)
      if (proxy === caddy) return

      const cached = await get(port, '/i/fox/large.png?again')
      assert.deepEqual([image.headers['x-cache-status'], cached.headers['x-cache-status']], ['MISS', 'HIT'])
      assert.deepEqual(
        Object.keys(cached.headers).filter((name) => /x-ratelimit|x-request-id/.test(name)),
        [],
      )
      assert.equal(cached.headers['access-control-allow-origin'], '*')

      const photo = await picture('png', 400, 300)
      await fetch(url.replace('large', 'photo'), { method: 'POST', headers, body: photo })
      const widthOf = async (query: string, accept = '*/*') => {
        const found = await get(port, `/i/fox/photo.png${query}`, { accept })
        return [(await described(Buffer.from(found.body, 'latin1'))).width, found.headers['content-type']]
      }
      // The encoded name must not fill the cache for requests without it.
      const [whole, small] = [
        [400, 'image/png'],
        [160, 'image/png'],
      ]
      for (const [query, expected] of [
        ['?%77=160', whole],
        ['?w=160', small],
        ['', whole],
        ['?w=100', small],
      ] as const)
        assert.deepEqual(await widthOf(query), expected, query)
      assert.deepEqual(await widthOf('?w=160&format=auto', 'image/webp'), [160, 'image/webp'])
      assert.deepEqual(await widthOf('?format=auto&w=160'), small)
      await service.close()
      const away = await get(port, '/i/fox/large.png')
      assert.deepEqual([away.status, away.body.length], [200, 2_000_000])
    })
  }
})

describe('X-Forwarded-For from a proxy that is not trusted', () => {
  for (const [TRUST_PROXY, warnings] of [
    ['', 1],
    ['10.0.0.0/8', 1],
    ['loopback', 0],
  ] as const)
    it(`is logged as a warning ${warnings} times with TRUST_PROXY=${TRUST_PROXY}`, async () => {
      const service = await startService({ env: { TRUST_PROXY } })
      for (let index = 0; index < 3; index++)
        await service.request('GET', '/', { headers: { 'x-forwarded-for': '203.0.113.9' } })
      await service.request('GET', '/')
      const lines = service
        .logged()
        .filter(({ msg }) => String(msg).startsWith('ignoring X-Forwarded-For from 127.0.0.1'))
      assert.equal(lines.length, warnings)
      for (const { msg, level } of lines) assert.deepEqual([level, /TRUST_PROXY/.test(String(msg))], ['warn', true])
    })
})
