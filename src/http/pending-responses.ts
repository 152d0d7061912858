import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The pending responses of each connection, in request order. Finished ones are dropped when the next is added. */
const pending = new WeakMap<Duplex, ServerResponse[]>()

const isPending = (res: ServerResponse) => !res.writableFinished

export function addPending(res: ServerResponse): void {
  const { socket } = res.req
  const queue = pending.get(socket)
  if (queue === undefined) return void pending.set(socket, [res])
  while (queue[0]?.writableFinished) queue.shift()
  queue.push(res)
}

/** The response that is being sent; those of pipelined requests wait behind it. */
export const firstPending = (socket: Duplex): ServerResponse | undefined => pending.get(socket)?.find(isPending)

/** A response is pending, or the client has not read all of the last one. */
export const isAnswering = (socket: Duplex): boolean => firstPending(socket) !== undefined || socket.writableLength > 0

/** No other request on this connection is waiting for its response. */
export const isAlone = (res: ServerResponse): boolean =>
  !res.req.socket.isPaused() && pending.get(res.req.socket)?.every((each) => each === res || !isPending(each)) === true
