import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeBy } from './node-internals.ts'

const mostBytes = 1_048_576
const mostMs = 5_000

/** Nobody has read all of its body yet. */
export const isUnread = ({ complete, headers }: IncomingMessage) =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/** More may be left of it than is taken off the connection: a next request behind it would be lost. */
export const isTooLongToDiscard = ({ headers }: IncomingMessage) => Number(headers['content-length']) > mostBytes

const answeredEarly = new WeakSet<Duplex>()

/** The request on this connection was answered before all of it had come: no second answer to what is wrong with the rest. */
export const isAnsweredEarly = (socket: Duplex) => answeredEarly.has(socket)

/**
 * A body that nobody read is taken off the connection, but not without end. Closing over unread bytes resets a
 * connection, and the answer may be lost with it: so it is closed for writing first, and wholly a while later.
 */
export function discardRest(req: IncomingMessage): void {
  const { socket } = req
  const before = socket.bytesRead
  const timer = setTimeout(() => socket.destroy(), mostMs)
  answeredEarly.add(socket)
  const closeAsBefore = closeBy(socket, () => socket.end())
  // Whoever began to read it, and stopped, would pause it again.
  req.removeAllListeners('data')
  req.on('data', () => {
    if (socket.bytesRead - before > mostBytes) req.pause()
  })
  const settle = () => {
    clearTimeout(timer)
    socket.off('close', settle)
    answeredEarly.delete(socket)
    closeAsBefore()
    if (socket.writableEnded) socket.destroySoon()
  }
  req.once('end', settle)
  socket.once('close', settle)
  req.resume()
}
