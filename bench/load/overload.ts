import { quantile } from '../figures.ts'
import { atRate } from './arrivals.ts'
import { atMost, under } from './gates.ts'
import { latencies } from './latencies.ts'
import type { LoadRun } from './load-run.ts'
import { type Asked, capacityOf, type Mix, startMix } from './mix.ts'
import { onOwnCore } from './own-core.ts'
import { createPool, type Pool } from './pool.ts'
import { watchServer } from './samples.ts'

const maxConnections = 2000
const calmShare = 0.25
const afterMs = 15_000
const recoverySeconds = 5

interface Arrived {
  /** When the request was due, since the load began. */
  readonly dueMs: number
  readonly ms: number
  readonly status: number
  readonly what: Asked['what']
  readonly hasRetryAfter: boolean
}

/** Arrivals at a fixed rate, each on a free connection. */
async function arrive(mix: Mix, pool: Pool, perSecond: number, durationMs: number): Promise<Arrived[]> {
  const arrived: Arrived[] = []
  const startedAt = performance.now()
  const call = async (dueAt: number) => {
    const asked = mix.next()
    const { status, ms, reply } = await pool.send(asked.request, dueAt)
    const hasRetryAfter = /\r\nretry-after: \d/i.test(reply?.head ?? '')
    arrived.push({ dueMs: dueAt - startedAt, ms, status, what: asked.what, hasRetryAfter })
  }
  await atRate({ perSecond, durationMs, call })
  return arrived
}

const msOf = (some: readonly Arrived[]) => some.map(({ ms }) => ms)

/** The last second in which the p99 was over twice that of the calm before, and over 50 ms. */
function recoveredAfter(after: readonly Arrived[], calmP99: number): number {
  let last = 0
  for (let second = 0; second * 1000 < afterMs; second += 1) {
    const within = after.filter(({ dueMs }) => Math.floor(dueMs / 1000) === second)
    if (quantile(msOf(within), 0.99) > Math.max(2 * calmP99, 50)) last = second + 1
  }
  return last
}

export const overload: LoadRun = {
  id: 'L04',
  title: 'twice the capacity, arriving whatever the answers take',
  async run({ folder, scaled }) {
    const durationMs = scaled(300_000, 15_000)
    const mix = await startMix(folder)
    try {
      await onOwnCore(() => capacityOf(mix, 3000))
      const capacity = await onOwnCore(() => capacityOf(mix, 5000))
      const pool = createPool(mix.server.port, { maxConnections, keepsBodies: false })
      const watch = await watchServer(mix.server)
      const { before, during, busy, after } = await onOwnCore(async () => {
        // A turn of Node's event loop accepts one connection: new ones would wait, and the service would not see the load.
        await pool.fill()
        const before = await arrive(mix, pool, capacity * calmShare, 5000)
        const idle = performance.eventLoopUtilization()
        const during = await arrive(mix, pool, capacity * 2, durationMs)
        const busy = performance.eventLoopUtilization(idle).utilization
        return { before, during, busy, after: await arrive(mix, pool, capacity * calmShare, afterMs) }
      })
      const watched = await watch.stop()
      pool.close()
      const taken = during.filter(({ status }) => status === 200)
      const shed = during.filter(({ status }) => status === 503)
      const odd = during.length - taken.length - shed.length
      const [broken, givenUp] = [0, -1].map((status) => during.filter((each) => each.status === status).length)
      const calmP99 = quantile(msOf(before), 0.99)
      const kinds = (['image', 'random', 'admin', 'login'] as const).map(
        (what) => `${what} ${latencies(msOf(taken.filter((each) => each.what === what)))}`,
      )
      return {
        watched,
        notes: [
          `Capacity: ${capacity.toFixed(0)} requests a second of L01. Twice that for ${durationMs / 1000} s on ${maxConnections} kept connections; latency counts from when a request was due.`,
          `The driver itself was busy ${(busy * 100).toFixed(0)} % of the time.`,
          `${taken.length} accepted: ${kinds.join('; ')}`,
          `${shed.length} shed, ${shed.filter(({ what }) => what === 'login').length} of them logins: ${latencies(msOf(shed))}; ${givenUp} never sent, because no connection was free within 10 s; ${broken} broken connections`,
          `At a quarter of the capacity: before ${latencies(msOf(before))}; after ${latencies(msOf(after))}`,
        ],
        gates: [
          atMost('accepted, p99', quantile(msOf(taken), 0.99), 1000, 'ms'),
          ...(shed.length > 0
            ? [
                under('shed, p99', quantile(msOf(shed), 0.99), 50, 'ms'),
                atMost('shed without Retry-After', shed.filter(({ hasRetryAfter }) => !hasRetryAfter).length, 0),
              ]
            : []),
          atMost('neither accepted nor shed', odd, 0),
          atMost('until the p99 is as before', recoveredAfter(after, calmP99), recoverySeconds, 's'),
        ],
      }
    } finally {
      await mix.server.stop()
    }
  },
}
