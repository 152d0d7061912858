import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { linesOf } from '../../src/http/headers.ts'
import { createWriteHead } from '../../src/http/response-head.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Wire } from './wire.ts'

/* Our own head writes what otherwise only Node knows about a response, so it is compared with Node's byte by byte. */

const headers = { 'Content-Type': 'text/plain', 'X-Own': 'a' }
const body = 'four'

let server: Server
before(async () => {
  // As Node's own server has it.
  const writeHead = createWriteHead(systemClock, 5_000)
  const answer = (res: ServerResponse, url: URL) => {
    const status = Number(url.searchParams.get('status'))
    const length = url.searchParams.has('length') ? body.length : null
    if (url.searchParams.has('last')) res.shouldKeepAlive = false
    if (url.searchParams.has('ours')) writeHead(res, status, linesOf(headers), length)
    else res.writeHead(status, { ...headers, ...(length !== null && { 'Content-Length': length }) })
    res.end(status === 200 ? body : undefined)
  }
  server = createServer((req, res) => answer(res, new URL(req.url ?? '', 'http://localhost')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
after(() => void server.close())

/** The lines received until either side closes the connection, sorted, without the second of the date. */
async function exchange(method: string, version: string, query: string, more: string): Promise<string[]> {
  const wire = new Wire((server.address() as AddressInfo).port, { head: method === 'HEAD' })
  let text = ''
  wire.socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  const closed = new Promise<void>((resolve) => wire.socket.once('close', () => resolve()))
  const last = 'GET /?status=204&last HTTP/1.1\r\nHost: a\r\n\r\n'
  wire.send(`${method} /?${query} HTTP/${version}\r\nHost: a\r\n${more}\r\n`).send(last)
  await closed
  return text
    .replaceAll(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, 'Date: now')
    .split('\r\n')
    .sort()
}

describe('The head of a response written as one text', () => {
  for (const method of ['GET', 'HEAD'])
    for (const version of ['1.1', '1.0'])
      for (const status of [200, 204, 304, 404])
        for (const length of status === 200 ? ['&length', ''] : [''])
          for (const more of ['', 'Connection: close\r\n', 'Connection: keep-alive\r\n'])
            for (const last of ['', '&last'])
              it(`equals Node's own, for ${method} in ${version}: ${status}${length}${last} ${JSON.stringify(more)}`, async () => {
                const query = `status=${status}${length}${last}`
                const [own, ofNode] = [
                  await exchange(method, version, `${query}&ours`, more),
                  await exchange(method, version, query, more),
                ]
                assert.deepEqual(own, ofNode)
                assert.ok(own.includes('Date: now'))
              })
})

describe('Header lines', () => {
  it('cannot be injected by a value or a name', () => {
    for (const text of ['a\r\nSet-Cookie: b', 'a\nb', 'a\rb', '\u0000', 'é\u0100'])
      assert.throws(() => linesOf({ 'X-A': text }), /is not a valid header/, JSON.stringify(text))
    for (const name of ['', 'a b', 'a:', 'a\r\n'])
      assert.throws(() => linesOf({ [name]: 'b' }), /is not a valid header/)
    assert.equal(linesOf({ A: 'b', 'C-D': 'é\t' }), 'A: b\r\nC-D: é\t\r\n')
  })
})
