import { quantile } from '../figures.ts'
import { measure, startWithLargeImage } from '../images-slow-readers.ts'
import { atMost, under } from './gates.ts'
import { latencies } from './latencies.ts'
import type { LoadRun } from './load-run.ts'
import { probe, type Watched, watchServer } from './samples.ts'

export const slowReaders: LoadRun = {
  id: 'L06',
  title: '1000 slow readers of 20 MB',
  async run({ folder, scaled }) {
    const slowMs = scaled(120_000, 10_000)
    const server = await startWithLargeImage(folder, probe)
    const watch = await watchServer(server)
    let watched: Watched | undefined
    const { grownMb, served, brokenOff, looks } = await measure(server, slowMs, async () => {
      watched = await watch.stop()
    })
    return {
      ...(watched && { watched }),
      notes: [
        `${slowMs / 1000} s after all had stalled. A cached image while they arrived: ${latencies(looks.coming)}; then: ${latencies(looks.stalled)}`,
      ],
      gates: [
        atMost('resident memory grows by', grownMb, 128, 'MiB'),
        under('a cached image for a fast client while they arrive, p99', quantile(looks.coming, 0.99), 250, 'ms'),
        under('the same once they have stalled', quantile(looks.stalled, 0.99), 250, 'ms'),
        atMost('slow readers that were not served, or broken off', 1000 - served + brokenOff, 0),
      ],
    }
  },
}
