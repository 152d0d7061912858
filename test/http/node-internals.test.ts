import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import {
  forceWriteHead,
  isLikeWriteHead,
  type SetHead,
  setByWriteHead,
  setPrepared,
} from '../../src/http/node-internals.ts'
import { startKit } from './kit.ts'

/** As if this Node had another name for the field: setting it has no effect. */
const without =
  (field: string): SetHead =>
  (res, ...head) => {
    const before = Reflect.get(res, field)
    setPrepared(res, ...head)
    Reflect.set(res, field, before)
  }

describe('The head set on private fields of a response', () => {
  it('is used with this Node: it has the same effects as writeHead', () => {
    assert.equal(isLikeWriteHead(setPrepared), true)
    assert.equal(isLikeWriteHead(setByWriteHead), true)
  })

  for (const field of ['_header', '_hasBody', '_last', 'chunkedEncoding'])
    it(`is not used where ${field} has no effect`, () => assert.equal(isLikeWriteHead(without(field)), false))

  it('is not used if setting it throws', () => {
    const fail: SetHead = () => {
      throw new TypeError('Cannot set property _header of #<ServerResponse> which has only a getter')
    }
    assert.equal(isLikeWriteHead(fail), false)
  })

  it('is not set twice', () => {
    const res = { _header: 'HTTP/1.1 200 OK\r\n\r\n' } as unknown as ServerResponse
    assert.throws(() => setPrepared(res, 200, '', false, false), /already written/)
  })

  it('is replaced by writeHead, with a warning at start', async (t) => {
    t.after(forceWriteHead())
    const { listening, request, startLines } = await startKit([])
    t.after(() => listening.close(0))
    assert.match(startLines.join(''), /"level":"warn".*not supported by the fast path/)
    const { status, headers } = await request('/')
    assert.deepEqual([status, headers.get('keep-alive')], [404, 'timeout=72'])
  })
})
