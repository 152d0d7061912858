import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The pending responses of each connection, in request order. Finished ones are dropped when the next is added. */
const pending = new WeakMap<Duplex, ServerResponse[]>()

const isPending = (res: ServerResponse) => !res.writableFinished

/** False if the response in front closes the connection: a request that gets no response must not be run. */
export function addPending(res: ServerResponse): boolean {
  const { socket } = res.req
  const queue = pending.get(socket)
  if (queue === undefined) {
    pending.set(socket, [res])
    return true
  }
  const before = queue.at(-1)
  if (before?.shouldKeepAlive === false) {
    // Otherwise such requests would pile up until that response is sent.
    if (isPending(before)) socket.pause()
    return false
  }
  while (queue[0]?.writableFinished) queue.shift()
  queue.push(res)
  return true
}

/** Nothing behind the newest request of this connection is run. */
export const isClosing = (socket: Duplex): boolean => pending.get(socket)?.at(-1)?.shouldKeepAlive === false

/** The last response of this connection whose request has arrived completely. */
export const lastWholePending = (socket: Duplex): ServerResponse | undefined =>
  pending.get(socket)?.findLast((res) => isPending(res) && res.req.complete)

/** The response that is being sent; those of pipelined requests wait behind it. */
export const firstPending = (socket: Duplex): ServerResponse | undefined => pending.get(socket)?.find(isPending)

/** A response is pending, or the client has not read all of the last one. */
export const isAnswering = (socket: Duplex): boolean => firstPending(socket) !== undefined || socket.writableLength > 0

/** No other request on this connection is waiting for its response. */
export const isAlone = (res: ServerResponse): boolean =>
  !res.req.socket.isPaused() && pending.get(res.req.socket)?.every((each) => each === res || !isPending(each)) === true
