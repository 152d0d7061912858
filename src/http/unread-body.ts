import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeBy } from './node-internals.ts'

const maxBytes = 1_048_576
const maxMs = 5_000

/** Part of the body has not been read. */
export const isUnread = ({ complete, headers }: IncomingMessage) =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/** More than `maxBytes` may be left, so a request behind it could never be read. */
export const isTooLongToDiscard = ({ headers }: IncomingMessage) => Number(headers['content-length']) > maxBytes

const answeredEarly = new WeakSet<Duplex>()

/** The response was sent before the whole request had arrived: a parse error in the rest gets no second response. */
export const isAnsweredEarly = (socket: Duplex) => answeredEarly.has(socket)

/**
 * Reads and discards the rest of a body, up to `maxBytes` and `maxMs`. Closing with unread bytes would reset the
 * connection, and the client might lose the response, so the connection is half-closed first.
 */
export function discardRest(req: IncomingMessage): void {
  const { socket } = req
  const before = socket.bytesRead
  const timer = setTimeout(() => socket.destroy(), maxMs)
  answeredEarly.add(socket)
  const closeAsBefore = closeBy(socket, () => socket.end())
  // A reader that stopped halfway would pause it again.
  req.removeAllListeners('data')
  req.on('data', () => {
    if (socket.bytesRead - before > maxBytes) req.pause()
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
