import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The responses that are due on each connection, in the order of their requests; finished ones are dropped with the next. */
const due = new WeakMap<Duplex, ServerResponse[]>()

const isDue = (res: ServerResponse) => !res.writableFinished

export function addDue(res: ServerResponse): void {
  const { socket } = res.req
  const queue = due.get(socket)
  if (queue === undefined) return void due.set(socket, [res])
  while (queue[0]?.writableFinished) queue.shift()
  queue.push(res)
}

/** The response that is being sent; those of pipelined requests wait behind it. */
export const firstDue = (socket: Duplex): ServerResponse | undefined => due.get(socket)?.find(isDue)

/** A response is due, or the client has not taken all of the last one. */
export const isAnswering = (socket: Duplex): boolean => firstDue(socket) !== undefined || socket.writableLength > 0

/** No request that has been read waits behind this one, and none ahead of it. */
export const isAlone = (res: ServerResponse): boolean =>
  !res.req.socket.isPaused() && due.get(res.req.socket)?.every((each) => each === res || !isDue(each)) === true
