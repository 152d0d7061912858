import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { CounterOp, CounterState, Counters, Reservation, Subjects } from '../../limits/counters.ts'
import type { Logger } from '../../process/logger.ts'
import type { MemoryCounters } from './memory.ts'
import { loadRedis } from './redis.ts'
import { type LinkUses, openRedisLink, type RedisLink, type RedisTimes, redisTimes } from './redis-link.ts'
import { forgetRun, hitRun, probeRuns, readHit, type Settlement, settleRun } from './script.ts'

interface SharedDeps {
  readonly url: string
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Closed together with the shared counters. */
  readonly memory: MemoryCounters
  /** For tests. */
  readonly times?: Partial<RedisTimes>
  readonly openLink?: (using: LinkUses) => Promise<Pick<RedisLink, 'isUp' | 'health' | 'check' | 'run' | 'close'>>
}

export interface SharedCounters extends Counters {
  readonly isUp: boolean
  /** For reports: unlike `isUp`, it does not change while a lost connection is being replaced. */
  readonly health: RedisLink['health']
  /** Brings `health` up to date. */
  check(): Promise<void>
}

/** Max settlements kept until Redis recovers; other reservations are released when their lease ends. */
const maxUnsent = 1_000

/**
 * Counters that instances share over Redis. Each instance also counts on its own: if Redis fails or comes back empty, a
 * client gets no more guesses than the instances' own limits add up to.
 */
export async function openSharedCounters({ url, clock, log, memory, ...more }: SharedDeps): Promise<SharedCounters> {
  const times = { ...redisTimes, ...more.times }
  const openLink: SharedDeps['openLink'] = async (using) =>
    openRedisLink({ redis: await loadRedis(url, times.attemptMs), log, times, ...using })
  let resets: number | null = null
  /** Counts the resets seen by this instance. */
  let epoch = 0
  const unsent: { readonly reservation: Reservation; readonly isFailure: boolean }[] = []

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

  const link = await (more.openLink ?? openLink)({
    async prove(connection) {
      const [take, settle] = probeRuns(randomUUID())
      const { resets: found } = readHit(await connection.run(take), clock.monotonic())
      await connection.run(settle)
      return () => learn(found)
    },
    onUp() {
      for (const { reservation, isFailure } of unsent.splice(0)) send(reservation, isFailure, 'failed-if-known')
    },
  })

  const send = (reservation: Reservation, isFailure: boolean, failed: Settlement) => {
    const later = () => {
      if (unsent.length < maxUnsent) unsent.push({ reservation, isFailure })
    }
    if (!link.isUp) return later()
    link.run(settleRun(reservation, isFailure ? failed : 'succeeded')).catch(later)
  }

  const share = async (
    ops: readonly CounterOp[],
    subjects: Subjects,
    reservationId: string,
    local: readonly CounterState[],
  ): Promise<readonly CounterState[]> => {
    const sentAt = clock.monotonic()
    const before = epoch
    // What this instance already refuses is only read from Redis.
    const rest = ops.map((op, index): CounterOp => (isRefusedBy(local[index], op) ? { ...op, act: 'peek' } : op))
    const reply = await link.run(hitRun(rest, subjects, reservationId)).catch(() => null)
    if (reply === null) return local
    const { resets: found, states } = readHit(reply, sentAt)
    learn(found)
    const isReset = epoch !== before
    return states.map((state, index) => {
      const { scope } = ops[index] as CounterOp
      const subject = subjects[scope.by]
      const here = local[index] as CounterState
      if (here.reserved && !state.reserved) memory.settle({ scope, subject, id: reservationId }, false)
      memory.endBy(scope, subject, state.endsAt)
      return isReset ? state : larger(here, state)
    })
  }

  return {
    hit(ops, subjects, reservationId) {
      const local = memory.hit(ops, subjects, reservationId)
      return link.isUp ? share(ops, subjects, reservationId, local) : local
    },
    settle(reservation, isFailure) {
      send(reservation, isFailure, 'failed')
      return memory.settle(reservation, isFailure)
    },
    /** Each instance begins its own counts anew, as after a reset by the tool. What Redis counted stays while it is away. */
    async forget(scope, subject) {
      await memory.forget(scope, subject)
      if (link.isUp) await link.run(forgetRun(scope, subject)).catch(() => {})
    },
    isShared: true,
    get isUp() {
      return link.isUp
    },
    get health() {
      return link.health
    },
    check: () => link.check(),
    async close() {
      await link.close()
      await memory.close()
    },
  }
}

const isRefusedBy = (state: CounterState | undefined, { act }: CounterOp) => act === 'reserve' && !state?.reserved

/** This instance may have counted more than Redis, which may have been down or be empty. */
const larger = (here: CounterState, there: CounterState): CounterState => ({
  count: Math.max(here.count, there.count),
  pending: Math.max(here.pending, there.pending),
  endsAt: here.count > there.count ? here.endsAt : there.endsAt,
  reserved: here.reserved && there.reserved,
})
