import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { JsonStreamResponse } from '../../src/http/responses.ts'
import { defineRoute, open, type Route } from '../../src/http/route.ts'
import { array, string } from '../../src/http/schema.ts'
import { rawRequest } from '../support/raw-request.ts'
import { itInFull, sized, someOf } from '../support/size.ts'
import { until } from '../support/until.ts'
import { type Kit, startKit } from './kit.ts'
import { head } from './wire.ts'

const decode = { br: brotliDecompressSync, gzip: gunzipSync }
const codings = ['gzip', 'br'] as const
const long = Array.from({ length: sized(1_500, 5_000) }, (_, index) => `item ${index} 🦥`)

const route = (path: string, handle: () => unknown, isCompressed = true): Route<unknown, unknown> =>
  defineRoute({
    method: 'GET',
    path,
    operationId: 'getList',
    summary: 'A list',
    access: open,
    envelope: 'status',
    ...(isCompressed && { isCompressed }),
    reply: { status: 200, schema: array(string()) },
    errors: [],
    handle,
  })

async function* inParts(list: readonly string[]): AsyncGenerator<string> {
  yield '[""'
  for (const item of list) yield `,${JSON.stringify(item)}`
  yield ']'
}

const streaming = (make: () => AsyncIterable<string>) => route('/stream', () => new JsonStreamResponse(make()))
const ask = ({ port }: Kit, path: string, coding: string, method = 'GET', headers = {}) =>
  rawRequest(`http://127.0.0.1:${port}${path}`, { method, headers: { 'accept-encoding': coding, ...headers } })

const kit = await startKit([
  route('/list', () => long),
  route('/short', () => ['short']),
  route('/other', () => long, false),
  streaming(() => inParts(long)),
])

describe('A list, streamed or not', () => {
  for (const coding of codings)
    it(`is the same text in ${coding}, and much shorter`, async () => {
      for (const path of ['/list', '/stream']) {
        const [plain, coded] = [await ask(kit, path, 'identity'), await ask(kit, path, coding)]
        assert.deepEqual([plain.headers['content-encoding'], coded.headers['content-encoding']], [undefined, coding])
        assert.equal(decode[coding](coded.body).toString(), plain.body.toString())
        assert.ok(coded.body.length < plain.body.length / 3, String(coded.body.length))
        for (const { headers } of [plain, coded]) {
          assert.equal(headers.vary, 'Accept-Encoding')
          assert.equal(headers['content-type'], 'application/json; charset=utf-8')
        }
      }
    })

  it('has the same head for HEAD', async () => {
    const lasting = (headers: object) => Object.entries(headers).filter(([name]) => !/^(date|x-.*)$/.test(name))
    for (const path of ['/list', '/stream']) {
      const [got, asked] = [await ask(kit, path, 'gzip'), await ask(kit, path, 'gzip', 'HEAD')]
      const { 'transfer-encoding': _, ...headers } = got.headers
      assert.deepEqual(lasting(asked.headers), lasting(headers))
      assert.equal(asked.body.length, 0)
    }
  })

  it('has an ETag for each coding unless it is streamed, and is a 304 for a client that has it', async () => {
    const tags = await Promise.all(
      ['identity', ...codings].map(async (coding) => {
        const { headers } = await ask(kit, '/list', coding)
        const etag = String(headers.etag)
        const held = await ask(kit, '/list', coding, 'GET', { 'if-none-match': etag })
        assert.deepEqual([held.status, held.headers.etag, held.body.length], [304, etag, 0])
        assert.equal((await ask(kit, '/list', coding, 'GET', { 'if-none-match': '"older"' })).status, 200)
        return etag
      }),
    )
    assert.equal(new Set(tags).size, 3)
    assert.equal((await ask(kit, '/stream', 'br')).headers.etag, undefined)
    assert.equal((await ask(kit, '/other', 'br', 'GET', { 'if-none-match': '*' })).status, 200)
  })

  it('stays plain if it is short, or if its route is not marked', async () => {
    const [short, other] = [await ask(kit, '/short', 'gzip'), await ask(kit, '/other', 'gzip')]
    assert.deepEqual([short.headers['content-encoding'], short.headers.vary], [undefined, 'Accept-Encoding'])
    assert.deepEqual([other.headers['content-encoding'], other.headers.vary], [undefined, undefined])
  })
})

describe('A compressed stream', () => {
  for (const coding of codings)
    it(`in ${coding} that fails before its first part is a plain error; one that fails later breaks off`, async () => {
      for (const [count, isBroken] of [
        [0, false],
        [40, true],
      ] as const) {
        const failing = await startKit([
          streaming(async function* () {
            for (let at = 0; at < count; at++) yield randomBytes(32_768).toString('hex')
            throw new Error('a detail')
          }),
        ])
        const asked = ask(failing, '/stream', coding)
        if (isBroken) await assert.rejects(asked)
        else {
          const { status, headers } = await asked
          assert.deepEqual([status, headers['content-encoding']], [500, undefined])
        }
        const errors = failing.logged().filter(({ level }) => level === 'error')
        assert.deepEqual(
          errors.map(({ err }) => (err as Error).message),
          ['a detail'],
        )
      }
    })

  for (const coding of someOf(1, codings))
    itInFull(`in ${coding} is produced no faster than it is read, and ends when its client leaves`, async (t) => {
      let [made, isClosed] = [0, false]
      const endless = await startKit(
        [
          streaming(async function* () {
            try {
              for (; ; made++) yield randomBytes(32_768).toString('hex')
            } finally {
              isClosed = true
            }
          }),
        ],
        { strict: false },
      )
      const socket = connect({ port: endless.port, host: '127.0.0.1' })
      t.after(() => socket.destroy())
      await once(socket, 'connect')
      socket.pause()
      socket.write(head('GET', '/stream', { 'Accept-Encoding': coding }))
      let [before, same] = [-1, 0]
      await until(() => {
        same = made > 0 && made === before ? same + 1 : 0
        before = made
        return same > sized(60, 80, 200)
      })
      assert.ok(made < 1_000, `${made} parts were made for a client that reads nothing`)
      socket.resume()
      await until(() => made > before)
      socket.destroy()
      await until(() => isClosed)
    })
})
