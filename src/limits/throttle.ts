import type { Call } from '../http/call.ts'
import { ClientGone } from '../http/json-body.ts'
import { Refused } from '../http/refusal.ts'
import { errors } from './errors.ts'

export const maxDelayed = 2_048
/** Keeps one connection from filling the throttle by pipelining. */
const maxPerConnection = 32
/** How often delayed requests are checked: an unread connection does not report that its client has disconnected. */
const checkEveryMs = 250

/** Delays requests. Their bodies are not read meanwhile. */
export function createThrottle(max = maxDelayed) {
  const delayed = new Map<(reason: Error) => void, Call>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const check = () => {
    for (const [reject, call] of delayed) {
      const reason = reasonToGiveUp(call)
      if (reason) reject(reason)
    }
  }

  return {
    /** Resolves after `ms` or with `early`. Rejects if too many are delayed, the client is gone or the service stops. */
    async delay(call: Call, ms: number, early?: Promise<unknown>): Promise<void> {
      const { socket } = call.req
      if (stopped) throw new Refused(errors.stopping)
      if (socket.destroyed) throw new ClientGone()
      const ofConnection = delayed.values().filter(({ req }) => req.socket === socket)
      if (delayed.size >= max || [...ofConnection].length >= maxPerConnection) throw new Refused(errors.tooManyDelayed)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const end = setTimeout(resolve, ms)
      early?.then(() => resolve(), reject)
      delayed.set(reject, call)
      timer ??= setInterval(check, checkEveryMs).unref()
      try {
        await promise
      } finally {
        clearTimeout(end)
        delayed.delete(reject)
        if (delayed.size === 0) {
          clearInterval(timer)
          timer = undefined
        }
      }
      if (socket.destroyed) throw new ClientGone()
    },
    /** The number of requests being delayed. */
    get size() {
      return delayed.size
    },
    stop(): void {
      stopped = true
      for (const reject of delayed.keys()) reject(new Refused(errors.stopping))
    },
  }
}

export type Throttle = ReturnType<typeof createThrottle>

function reasonToGiveUp({ req, res }: Call): Error | null {
  if (req.socket.destroyed) return new ClientGone()
  // Node has stopped reading: its buffers are full of this request's body or of requests behind it.
  if (!req.socket.isPaused() && req.readableLength < req.readableHighWaterMark) return null
  // A CONNECT has no response.
  if (res) res.shouldKeepAlive = false
  return new Refused(errors.tooMuchBehind)
}
