import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { rawRequest } from '../support/raw-request.ts'
import { startService } from '../support/service.ts'

const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body } as const
const codings = ['br', 'gzip', 'identity'] as const
const paths = ['/docs', '/docs.md', '/docs.css', '/docs.js', '/docs.svg', '/openapi.json']
/** A browser's first visit, with either coding; the promise is about `/docs`. */
const maxPageBytes = 60_000

const service = await startService()
const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  rawRequest(`${service.url}${path}`, { method, headers })

describe('The reference over the wire', () => {
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

  it('has the same head for HEAD', async () => {
    for (const path of paths) {
      const [got, asked] = await Promise.all(
        ['GET', 'HEAD'].map((method) => get(path, { 'accept-encoding': 'br' }, method)),
      )
      const lasting = (headers = {}) => Object.entries(headers).filter(([name]) => !/^(date|x-.*)$/.test(name))
      assert.deepEqual([asked?.status, asked?.body.length, lasting(asked?.headers)], [200, 0, lasting(got?.headers)])
    }
  })

  it(`takes at most ${maxPageBytes} bytes for /docs, style sheet, script and icon included`, async () => {
    for (const coding of ['br', 'gzip']) {
      const parts = ['/docs', '/docs.css', '/docs.js', '/docs.svg']
      const replies = await Promise.all(parts.map((path) => get(path, { 'accept-encoding': coding })))
      const size = replies.reduce((sum, { body }) => sum + body.length, 0)
      assert.ok(size <= maxPageBytes, `${coding}: ${size}`)
    }
  })
})
