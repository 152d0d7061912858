import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { post } from '../connection.ts'
import { quantile } from '../figures.ts'
import { startServer } from '../server.ts'
import { atRate } from './arrivals.ts'
import { openFlappingPage } from './flapping-page.ts'
import { atMost, onlyInFull, under } from './gates.ts'
import { latencies } from './latencies.ts'
import type { LoadRun } from './load-run.ts'
import { onOwnCore } from './own-core.ts'
import { createPool } from './pool.ts'
import { grownMb, probe, watchServer } from './samples.ts'
import { memorySlope } from './soak.ts'

const components = 100
const moodMs = 5000
const statuses = ['operational', 'degraded', 'outage', 'operational'] as const
/** A component changes its status this often. */
const changeEvery = 20
const warmShare = 1 / 6

export const heartbeats: LoadRun = {
  id: 'L14',
  title: `the status worker with ${components} components, a heartbeat of each a second, and a flapping page`,
  async run({ folder, isFull, scaled }) {
    const durationMs = scaled(3_600_000, 60_000)
    const page = await openFlappingPage(moodMs)
    try {
      const server = await startServer({
        script: 'src/bin/status-worker.ts',
        readyPath: '/livez',
        portName: 'STATUS_PORT',
        folder,
        preload: probe,
        env: {
          DATA_DIR: await mkdtemp(join(folder, 'worker-')),
          STATUS_SERVICE_KIND: 'native',
          STATUS_SERVICE_URL: page.url,
        },
      })
      try {
        const pool = createPool(server.port, { maxConnections: 200 })
        const ms: number[] = []
        let refused = 0
        const beat = async (dueAt: number, index: number) => {
          const id = index % components
          const turn = Math.floor((index / components + id) / changeEvery)
          const status = statuses[turn % statuses.length]
          const timed = await pool.send(post(`/heartbeat/component-${id}`, { status }), dueAt)
          if (timed.status !== 200) refused += 1
          ms.push(timed.ms)
        }
        await atRate({ perSecond: components, durationMs: 2000, call: beat })
        ms.length = 0
        const watch = await watchServer(server)
        await onOwnCore(() => atRate({ perSecond: components, durationMs, call: beat }))
        const watched = await watch.stop()
        pool.close()
        const last = watched.samples.at(-1)?.seconds ?? 0
        const warm = watched.samples.filter(({ seconds }) => seconds >= last * warmShare)
        return {
          watched,
          notes: [
            `${(durationMs / 60_000).toFixed(1)} minutes; heartbeats ${latencies(ms)}`,
            `The page changes every ${moodMs / 1000} s: it works, fails, hangs or resets. It took ${page.seen.pushes} pushes and left ${page.seen.refused}.`,
            `Resident memory grew by ${grownMb(watched.samples).toFixed(1)} MiB at most.`,
          ],
          gates: [
            under('a heartbeat, p99', quantile(ms, 0.99), 50, 'ms'),
            atMost('heartbeats refused or lost', refused, 0),
            onlyInFull(isFull, atMost('slope of resident memory in 10 minutes', memorySlope(warm), 1, 'MiB')),
          ],
        }
      } finally {
        await server.stop()
      }
    } finally {
      page.close()
    }
  },
}
