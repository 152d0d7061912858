import { statSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../figures.ts'
import { atRate } from './arrivals.ts'
import { atMost, onlyInFull } from './gates.ts'
import { latencies } from './latencies.ts'
import type { LoadRun } from './load-run.ts'
import { capacityOf, startMix, Tally } from './mix.ts'
import { onOwnCore } from './own-core.ts'
import { createPool } from './pool.ts'
import { mostResidentMb, type Sample, watchServer } from './samples.ts'
import { slopeOf } from './slope.ts'

const connections = 64
const warmShare = 1 / 12

/** In MiB in ten minutes. */
export const memorySlope = (samples: readonly Sample[]) =>
  slopeOf(samples.map(({ seconds, residentMb }) => [seconds / 600, residentMb] as const))

/** By how much the last fifth differs from the first, in the middle of each. */
export function drift(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const fifth = Math.ceil(samples.length / 5)
  const middle = (some: readonly Sample[]) => median(some.map(of))
  return Math.abs(middle(samples.slice(-fifth)) - middle(samples.slice(0, fifth)))
}

export const soak: LoadRun = {
  id: 'L02',
  title: 'two hours at half of the peak',
  async run({ folder, isFull, scaled }) {
    const durationMs = scaled(7_200_000, 60_000)
    const mix = await startMix(folder)
    try {
      const peak = await onOwnCore(() => capacityOf(mix, 5000))
      const pool = createPool(mix.server.port, { maxConnections: connections })
      const tally = new Tally()
      const ms: number[] = []
      let mostWalMb = 0
      const timer = setInterval(() => {
        const size = statSync(join(mix.dataDir, 'menagerie.db-wal'), { throwIfNoEntry: false })?.size ?? 0
        mostWalMb = Math.max(mostWalMb, size / 1024 ** 2)
      }, 1000)
      const watch = await watchServer(mix.server)
      const call = async (dueAt: number) => {
        const asked = mix.next()
        const timed = await pool.send(asked.request, dueAt)
        const { status, reply } = timed
        ms.push(timed.ms)
        tally.take({ asked, reply, mistake: status === 200 && reply ? asked.mistakeIn(reply) : null })
      }
      try {
        await onOwnCore(() => atRate({ perSecond: peak / 2, durationMs, call }))
      } finally {
        clearInterval(timer)
      }
      const watched = await watch.stop()
      pool.close()
      const last = watched.samples.at(-1)?.seconds ?? 0
      const warm = watched.samples.filter(({ seconds }) => seconds >= last * warmShare)
      const minutes = (durationMs / 60_000).toFixed(1)
      return {
        watched,
        notes: [
          `${minutes} minutes at ${(peak / 2).toFixed(0)} requests a second, half of what ${connections} connections got through in 5 s; ${latencies(ms)}`,
          `Slope and drift are taken after the first ${Math.round(last * warmShare)} s.`,
          ...[...tally.failures].slice(0, 5),
        ],
        gates: [
          onlyInFull(isFull, atMost('slope of resident memory in 10 minutes', memorySlope(warm), 1, 'MiB')),
          atMost('resident memory at most', mostResidentMb(watched.samples), 256, 'MiB'),
          atMost(
            'descriptors, first to last fifth',
            drift(warm, ({ descriptors }) => descriptors),
            5,
          ),
          atMost(
            'handles, first to last fifth',
            drift(warm, ({ handles }) => handles),
            5,
          ),
          atMost('WAL of SQLite', mostWalMb, 64, 'MiB'),
          atMost(
            'responses with 5xx, broken connections, wrong bodies',
            tally.serverErrors + tally.broken + tally.wrong,
            0,
          ),
        ],
      }
    } finally {
      await mix.server.stop()
    }
  },
}
