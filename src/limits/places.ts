import type { Call } from '../http/call.ts'
import type { Clock } from '../lib/clock.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Ask, Counters, Place, Standing } from './counters.ts'
import { isRefused } from './decide.ts'
import type { Scope } from './scopes.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** A place that was got, or the standing by which it was refused. */
export interface Taking {
  readonly place: Place | null
  readonly standing: Standing
}

export interface Places {
  /** Waits behind those who came before as long as places are taken, but not used up. */
  take(call: Call, scope: Scope, subject: string): Promise<Taking>
  /** Whether somebody waits for one already. */
  isAwaited(scope: Scope, subject: string): boolean
  /** How many are used up now. */
  settle(place: Place, isFailure: boolean): number
}

interface Waiter {
  readonly grant: (taking: Taking) => void
  isGone: boolean
}

interface Queue {
  readonly ask: readonly Ask[]
  readonly subject: string
  readonly waiters: Waiter[]
  isPumping: boolean
  /** Something changed while it was being served. */
  isStale: boolean
  timer: NodeJS.Timeout | null
}

const patienceMs = 5_000
/** Places of other instances become free without a word. */
const retryMs = 100
/** When to come again, for whom there was none. */
const soonMs = 1_000

interface PlacesDeps {
  readonly counters: Counters
  readonly room: WaitingRoom
  readonly clock: Clock
  readonly newId: () => string
}

/** Places for guesses: given in the order of arrival. */
export function createPlaces({ counters, room, clock, newId }: PlacesDeps): Places {
  const queues = new Map<string, Queue>()
  const keyOf = ({ name }: Scope, subject: string) => `${name} ${subject}`

  const attempt = ({ ask, subject }: Pick<Queue, 'ask' | 'subject'>): MaybePromise<Taking> => {
    const id = newId()
    const scope = (ask[0] as Ask).scope
    const found = counters.hit(ask, { address: subject, name: subject }, id)
    const takingOf = ([standing]: readonly Standing[]): Taking => ({
      place: standing?.taken ? { scope, subject, id } : null,
      standing: standing as Standing,
    })
    return isPromise(found) ? found.then(takingOf) : takingOf(found)
  }

  /** Serves the head of the queue; whether the next one may be served too. */
  const serveFirst = async (queue: Queue): Promise<boolean> => {
    const { waiters } = queue
    const taking = await attempt(queue)
    while (waiters[0]?.isGone) waiters.shift()
    if (taking.place) {
      const next = waiters.shift()
      if (next) next.grant(taking)
      else counters.settle(taking.place, false)
      return true
    }
    if (!isRefused((queue.ask[0] as Ask).scope, 'take', taking.standing)) return false
    for (const { grant } of waiters.splice(0)) grant(taking)
    return true
  }

  const pump = async (key: string, queue: Queue): Promise<void> => {
    queue.isStale = true
    if (queue.isPumping) return
    queue.isPumping = true
    while (queue.waiters.length > 0 && queue.isStale) {
      queue.isStale = false
      if (await serveFirst(queue)) queue.isStale = true
    }
    queue.isPumping = false
    if (queue.timer) clearTimeout(queue.timer)
    queue.timer = null
    if (queue.waiters.length === 0) queues.delete(key)
    else if (counters.isShared) queue.timer = setTimeout(() => void pump(key, queue), retryMs).unref()
  }

  const wait = async (call: Call, queue: Queue, key: string): Promise<Taking> => {
    const { promise, resolve } = Promise.withResolvers<Taking>()
    let taking: Taking | null = null
    const waiter: Waiter = {
      isGone: false,
      grant(found) {
        taking = found
        resolve(found)
      },
    }
    queue.waiters.push(waiter)
    void pump(key, queue)
    try {
      await room.hold(call, patienceMs, promise)
    } catch (error) {
      const granted = taking as Taking | null
      if (granted?.place) settle(granted.place, false)
      throw error
    } finally {
      waiter.isGone = true
    }
    if (taking) return taking
    // Whoever has waited in vain is refused like those who find all places used.
    const [standing] = await counters.hit(
      [{ ...(queue.ask[0] as Ask), act: 'look' }],
      { address: queue.subject, name: queue.subject },
      '',
    )
    const found = standing as Standing
    // They are taken, and may be free again in a moment.
    const isUsedUp = isRefused((queue.ask[0] as Ask).scope, 'take', found)
    return { place: null, standing: isUsedUp ? found : { ...found, endsAt: clock.monotonic() + soonMs } }
  }

  const settle = (place: Place, isFailure: boolean) => {
    const used = counters.settle(place, isFailure)
    const key = keyOf(place.scope, place.subject)
    const queue = queues.get(key)
    if (queue) void pump(key, queue)
    return used
  }

  return {
    async take(call, scope, subject) {
      const key = keyOf(scope, subject)
      const known = queues.get(key)
      if (known) return wait(call, known, key)
      const queue: Queue = {
        ask: [{ scope, act: 'take' }],
        subject,
        waiters: [],
        isPumping: false,
        isStale: false,
        timer: null,
      }
      const taking = await attempt(queue)
      if (taking.place || isRefused(scope, 'take', taking.standing)) return taking
      const meanwhile = queues.get(key) ?? queue
      queues.set(key, meanwhile)
      return wait(call, meanwhile, key)
    },
    isAwaited: (scope, subject) => queues.has(keyOf(scope, subject)),
    settle,
  }
}
