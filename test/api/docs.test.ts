import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { rawRequest } from '../support/raw-request.ts'
import { startService, type TestService } from '../support/service.ts'

const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body } as const
const codings = ['br', 'gzip', 'identity'] as const
const paths = ['/docs', '/docs.md', '/docs.css', '/docs.js', '/docs.svg', '/openapi.json']
/** Grows with every route, error and setting: 600 bytes each of the last ten. */
const maxPageBytes = 90_000

let service: TestService
before(async () => {
  service = await startService()
})
const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  rawRequest(`${service.url}${path}`, { method, headers })

describe('The reference over HTTP', () => {
  it('is the same text in each coding, with the length of the coded body', async () => {
    for (const path of paths) {
      const plain = await get(path, {})
      for (const coding of codings) {
        const reply = await get(path, { 'accept-encoding': coding })
        assert.equal(reply.headers['content-encoding'], coding === 'identity' ? undefined : coding)
        assert.equal(Number(reply.headers['content-length']), reply.body.length)
        assert.equal(reply.headers.vary, 'Accept-Encoding')
        assert.deepEqual(decode[coding](reply.body), plain.body, path)
      }
    }
  })

  it('has an ETag for each coding, which gets a 304 with the headers of the page and no body', async () => {
    for (const path of paths) {
      const tags = new Set<string>()
      for (const coding of codings) {
        const accepts = { 'accept-encoding': coding }
        const { headers } = await get(path, accepts)
        const { etag = '' } = headers
        tags.add(etag)
        for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const reply = await get(path, { ...accepts, 'if-none-match': held })
          assert.deepEqual([reply.status, reply.body.length], [304, 0])
          for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy'])
            assert.equal(reply.headers[name], headers[name], name)
        }
        assert.equal((await get(path, { ...accepts, 'if-none-match': '"other"' })).status, 200)
      }
      assert.equal(tags.size, codings.length, path)
    }
  })

  it('answers HEAD with the same headers', async () => {
    for (const path of paths) {
      const [got, asked] = await Promise.all(
        ['GET', 'HEAD'].map((method) => get(path, { 'accept-encoding': 'br' }, method)),
      )
      const lasting = (headers = {}) => Object.entries(headers).filter(([name]) => !/^(date|x-.*)$/.test(name))
      assert.deepEqual([asked?.status, asked?.body.length, lasting(asked?.headers)], [200, 0, lasting(got?.headers)])
    }
  })

  it(`takes at most ${maxPageBytes} bytes for /docs in gzip and in brotli, and in brotli with all that it loads`, async () => {
    const sizeOf = async (path: string, coding: string) => (await get(path, { 'accept-encoding': coding })).body.length
    const sizes = await Promise.all(['/docs', '/docs.css', '/docs.js', '/docs.svg'].map((path) => sizeOf(path, 'br')))
    for (const size of [await sizeOf('/docs', 'gzip'), sizes.reduce((sum, each) => sum + each)])
      assert.ok(size <= maxPageBytes, String(size))
  })
})
