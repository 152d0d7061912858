import type { Call } from '../http/call.ts'
import { ClientGone } from '../http/json-body.ts'
import { Refused } from '../http/refusal.ts'
import { errors } from './errors.ts'

export const maxHeld = 2_048
/** Keeps one connection from filling the throttle by pipelining. */
export const maxHeldPerConnection = 32
/** How often held requests are checked: an unread connection does not report that its client has disconnected. */
const checkEveryMs = 250

type Socket = Call['req']['socket']
type GiveUp = (reason: Error) => void

/** Delays requests. Their bodies are not read meanwhile. */
export function createThrottle(max = maxHeld) {
  const held = new Map<GiveUp, Call>()
  /** One `close` listener per connection, however many of its requests are waiting. */
  const bySocket = new Map<Socket, { readonly waiting: Set<GiveUp>; onClose(): void }>()
  let stopped = false
  let isScheduled = false

  const checkLater = () => {
    if (isScheduled || held.size === 0) return
    isScheduled = true
    setTimeout(check, checkEveryMs).unref()
  }

  const check = () => {
    isScheduled = false
    for (const [giveUp, call] of held) {
      if (!isUnheard(call)) continue
      if (call.res) call.res.shouldKeepAlive = false
      giveUp(new Refused(errors.tooMuchBehind))
    }
    checkLater()
  }

  const watch = (socket: Socket, giveUp: GiveUp) => {
    const known = bySocket.get(socket)
    if (known) return known.waiting.add(giveUp)
    const waiting = new Set([giveUp])
    const onClose = () => {
      for (const leave of waiting) leave(new ClientGone())
    }
    bySocket.set(socket, { waiting, onClose })
    socket.once('close', onClose)
  }

  const unwatch = (socket: Socket, giveUp: GiveUp) => {
    const known = bySocket.get(socket)
    known?.waiting.delete(giveUp)
    if (!known || known.waiting.size > 0) return
    socket.off('close', known.onClose)
    bySocket.delete(socket)
  }

  return {
    /** Resolves after `ms` or with `early`. Rejects if too many are held, the client is gone or the service stops. */
    async delay(call: Call, ms: number, early?: Promise<unknown>): Promise<void> {
      const { socket } = call.req
      if (stopped) throw new Refused(errors.stopping)
      if (socket.destroyed) throw new ClientGone()
      const ofOne = bySocket.get(socket)?.waiting.size ?? 0
      if (held.size >= max || ofOne >= maxHeldPerConnection) throw new Refused(errors.tooManyHeld)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      held.set(reject, call)
      checkLater()
      watch(socket, reject)
      early?.then(() => resolve(), reject)
      try {
        await promise
      } finally {
        clearTimeout(timer)
        held.delete(reject)
        unwatch(socket, reject)
      }
    },
    /** The number of requests being delayed. */
    get held() {
      return held.size
    },
    stop(): void {
      stopped = true
      for (const giveUp of held.keys()) giveUp(new Refused(errors.stopping))
    },
  }
}

export type Throttle = ReturnType<typeof createThrottle>

/** Node has stopped reading: its buffers are full of this request's body or of requests behind it. */
const isUnheard = ({ req }: Call) => req.socket.isPaused() || req.readableLength >= req.readableHighWaterMark
