import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sized } from '../../../support/size.ts'
import { turns } from '../../../support/until.ts'
import { bucket, listening, openStore } from './s3-stage.ts'

/* All sockets to the store read into one buffer: nothing of one may turn up in another, however it is cut. */

const headOf = (bytes: Buffer, name: string) =>
  [
    'HTTP/1.1 200 OK',
    `ETag: "${name}"`,
    'Last-Modified: Sat, 21 Nov 2026 12:00:00 GMT',
    `x-amz-meta-filler: ${name.repeat(20)}`,
    `Content-Length: ${bytes.length}`,
    '\r\n',
  ].join('\r\n')

/** A head that arrives in 400 pieces takes more than the usual 5 s on a busy machine; no test here is about time. */
const unhurried = { waitMs: 100_000, connectMs: 100_000, firstByteMs: 100_000, idleMs: 100_000 }

/** Answers each GET with the bytes of its name, cut as told. */
async function serving(objects: ReadonlyMap<string, Buffer>, cut: (whole: Buffer, head: number) => Buffer[]) {
  const port = await listening((socket: Socket) => {
    socket.setNoDelay(true).on('data', async (request) => {
      const name = /\/([^/ ]+) HTTP/.exec(request.toString('latin1'))?.[1] ?? ''
      const bytes = objects.get(name) ?? Buffer.of()
      const head = Buffer.from(`HTTP/1.1 103 Early Hints\r\nLink: <${name}>\r\n\r\n${headOf(bytes, name)}`)
      for (const piece of cut(Buffer.concat([head, bytes]), head.length)) {
        socket.write(piece)
        await turn()
      }
    })
  })
  return openStore(`http://127.0.0.1:${port}`, { times: unhurried })
}

const pieces = (whole: Buffer, ...at: number[]) =>
  [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.length)).filter(({ length }) => length > 0)

const objectsOf = (count: number, size: (index: number) => number) =>
  new Map(Array.from({ length: count }, (_, index) => [`object-${index}`, randomBytes(size(index))]))

describe('The body of one of many concurrent reads', () => {
  const cuts: readonly [string, (whole: Buffer, head: number) => Buffer[]][] = [
    ['in one piece', (whole) => [whole]],
    ['with its head byte by byte', (whole, head) => pieces(whole, ...Array.from({ length: head }, (_, at) => at + 1))],
    ['cut in the middle of the end of its head', (whole, head) => pieces(whole, head - 3, head - 1, head + 1)],
    ['cut in its head and in its body', (whole, head) => pieces(whole, head >> 1, head + 10, head + 5_000)],
  ]
  for (const [how, cut] of cuts)
    it(`is its own, to the byte, when it arrives ${how}`, async () => {
      const objects = objectsOf(40, (index) => 1 + index * 9_000)
      const { store } = await serving(objects, cut)
      for (let round = 0; round < sized(1, 2); round++)
        await Promise.all(
          [...objects].map(async ([name, bytes]) => {
            const reading = await store.read({ bucket, name })
            assert.equal(reading?.head.etag, name)
            assert.ok((await reading?.whole())?.equals(bytes), name)
          }),
        )
    })

  it('is its own even if it is consumed slowly and the socket pauses', async () => {
    const objects = objectsOf(6, () => sized(1_000_000, 4_000_000))
    const { store } = await serving(objects, (whole) => [whole])
    await Promise.all(
      [...objects].map(async ([name, bytes]) => {
        const reading = await store.read({ bucket, name })
        const taken: Uint8Array[] = []
        for await (const piece of reading?.chunks() ?? []) {
          taken.push(piece)
          await turn()
        }
        assert.ok(Buffer.concat(taken).equals(bytes), name)
      }),
    )
  })

  it('is complete if the store closes the connection after it', async () => {
    const bytes = randomBytes(sized(1_000_000, 3_000_000))
    const port = await listening((socket) => {
      socket.once('data', () => {
        socket.end(Buffer.concat([Buffer.from(headOf(bytes, 'a').replace('ETag', 'Connection: close\r\nETag')), bytes]))
      })
    })
    const { store } = await openStore(`http://127.0.0.1:${port}`, { times: unhurried })
    for (let round = 0; round < 3; round++) {
      const reading = await store.read({ bucket, name: 'a' })
      const taken: Uint8Array[] = []
      for await (const piece of reading?.chunks() ?? []) {
        taken.push(piece)
        await turns(5)
      }
      assert.ok(Buffer.concat(taken).equals(bytes))
    }
  })
})
