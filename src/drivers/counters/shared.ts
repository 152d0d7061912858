import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Ask, Counters, Place, Standing, Subjects } from '../../limits/counters.ts'
import type { Logger } from '../../process/logger.ts'
import type { MemoryCounters } from './memory.ts'
import { loadRedis } from './redis.ts'
import { openRedisLink, type RedisLink, type RedisTimes, redisTimes } from './redis-link.ts'
import { hitRun, type Outcome, probeRuns, readHit, settleRun, subjectOf } from './script.ts'

interface SharedDeps {
  readonly url: string
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Closed with these. */
  readonly memory: MemoryCounters
  /** Other times than usual, in a test. */
  readonly times?: Partial<RedisTimes>
}

export interface SharedCounters extends Counters {
  /** Whether Redis answers. */
  readonly isUp: boolean
  /** The same as others should hear it: a connection that is made again is no news before it is known how that went. */
  readonly health: RedisLink['health']
}

/** Outcomes that are told to Redis when it is back; beyond them a place is free again when its lease ends. */
const mostUntold = 1_000

/**
 * Counters that instances share over Redis. Each also counts for itself, always: if Redis goes away, or comes back with
 * nothing, nobody has more guesses than all instances have for themselves.
 */
export async function openSharedCounters({ url, clock, log, memory, ...more }: SharedDeps): Promise<SharedCounters> {
  const times = { ...redisTimes, ...more.times }
  let resets: number | null = null
  /** How often everything was forgotten here. */
  let epoch = 0
  const untold: { readonly place: Place; readonly isFailure: boolean }[] = []

  const learn = (found: number) => {
    if (found === 0) {
      resets ??= 0
      return
    }
    if (resets !== null && found !== resets) {
      memory.clear()
      epoch += 1
    }
    resets = found
  }

  const link = await openRedisLink({
    redis: await loadRedis(url, times.attemptMs),
    log,
    times,
    async prove(connection) {
      const [take, settle] = probeRuns(randomUUID())
      const { resets: found } = readHit(await connection.run(take), clock.monotonic())
      await connection.run(settle)
      return () => learn(found)
    },
    onUp() {
      for (const { place, isFailure } of untold.splice(0)) tell(place, isFailure, 'failed-if-known')
    },
  })

  const tell = (place: Place, isFailure: boolean, failed: Outcome) => {
    const later = () => {
      if (untold.length < mostUntold) untold.push({ place, isFailure })
    }
    if (!link.isUp) return later()
    link.run(settleRun(place, isFailure ? failed : 'succeeded')).catch(later)
  }

  const share = async (
    asks: readonly Ask[],
    subjects: Subjects,
    placeId: string,
    local: readonly Standing[],
  ): Promise<readonly Standing[]> => {
    const sentAt = clock.monotonic()
    const before = epoch
    // A place that is not free here is not free.
    const rest = asks.map((ask, index): Ask => (isRefusedBy(local[index], ask) ? { ...ask, act: 'look' } : ask))
    const reply = await link.run(hitRun(rest, subjects, placeId)).catch(() => null)
    if (reply === null) return local
    const { resets: found, standings } = readHit(reply, sentAt)
    learn(found)
    const isForgotten = epoch !== before
    return standings.map((standing, index) => {
      const { scope } = asks[index] as Ask
      const subject = subjectOf(scope, subjects)
      const here = local[index] as Standing
      if (here.taken && !standing.taken) memory.settle({ scope, subject, id: placeId }, false)
      memory.endBy(scope, subject, standing.endsAt)
      return isForgotten ? standing : larger(here, standing)
    })
  }

  return {
    hit(asks, subjects, placeId) {
      const local = memory.hit(asks, subjects, placeId)
      return link.isUp ? share(asks, subjects, placeId, local) : local
    },
    settle(place, isFailure) {
      tell(place, isFailure, 'failed')
      return memory.settle(place, isFailure)
    },
    isShared: true,
    get isUp() {
      return link.isUp
    },
    get health() {
      return link.health
    },
    async close() {
      await link.close()
      await memory.close()
    },
  }
}

const isRefusedBy = (standing: Standing | undefined, { act }: Ask) => act === 'take' && !standing?.taken

/** What is counted here may be more than Redis knows, where that was away or is new. */
const larger = (here: Standing, there: Standing): Standing => ({
  count: Math.max(here.count, there.count),
  pending: Math.max(here.pending, there.pending),
  endsAt: here.count > there.count ? here.endsAt : there.endsAt,
  taken: here.taken && there.taken,
})
