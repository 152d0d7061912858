import { once } from 'node:events'
import { connect } from 'node:net'

export interface Received {
  readonly status: number
  /** Of the body. */
  readonly bytes: number
}

export interface ByteConnection {
  /** One request is in flight at a time: the caller awaits each answer. */
  send(request: string): Promise<Received>
  close(): void
}

const bufferBytes = 262_144
const headEnd = Buffer.from('\r\n\r\n')

/** A keep-alive connection that counts the bytes of bodies and keeps none: a client must cost less than the server. */
export async function openByteConnection(port: number): Promise<ByteConnection> {
  let waiting: { resolve(received: Received): void; reject(error: Error): void } | undefined
  /** The beginning of a head that came in pieces. */
  let begun: Buffer | null = null
  let received = { status: 0, bytes: 0 }
  let missing = -1

  const take = (piece: Buffer) => {
    if (missing >= 0) return count(piece.length)
    const head: Buffer = begun ? Buffer.concat([begun, piece]) : piece
    const end = head.indexOf(headEnd)
    // What it lies in is read into again.
    begun = end < 0 ? Buffer.from(head) : null
    if (end < 0) return
    const text = head.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)
    if (!length) throw new Error('the bench client reads answers with a Content-Length only')
    received = { status: Number(text.slice(9, 12)), bytes: Number(length[1]) }
    missing = received.bytes
    count(head.length - end - headEnd.length)
  }

  const count = (bytes: number) => {
    missing -= bytes
    if (missing < 0) throw new Error('more bytes than the answer said')
    if (missing > 0) return
    missing = -1
    const { resolve } = waiting ?? { resolve: () => socket.destroy(new Error('an answer nobody asked for')) }
    waiting = undefined
    resolve(received)
  }

  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = undefined
  }
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(bufferBytes),
      callback(bytes, buffer) {
        try {
          take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
        } catch (error) {
          socket.destroy(error as Error)
        }
        return true
      },
    },
  })
  socket.on('close', () => fail(new Error('connection closed')))
  await once(socket, 'connect')
  socket.on('error', fail)
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('connection closed'))
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: () => socket.destroy(),
  }
}
