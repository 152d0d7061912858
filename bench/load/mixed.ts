import { atMost } from './gates.ts'
import type { LoadRun } from './load-run.ts'
import { closedMix, startMix } from './mix.ts'
import { onOwnCore } from './own-core.ts'
import { watchServer } from './samples.ts'

const connections = 64

export const mixed: LoadRun = {
  id: 'L01',
  title: 'a million mixed requests over 64 kept connections',
  async run({ folder, scaled }) {
    const count = scaled(1_000_000, 20_000)
    const mix = await startMix(folder)
    try {
      const watch = await watchServer(mix.server)
      const startedAt = performance.now()
      const tally = await onOwnCore(() => closedMix(mix, connections, (sent) => sent < count))
      const seconds = (performance.now() - startedAt) / 1000
      const watched = await watch.stop()
      return {
        watched,
        notes: [
          `${count} requests: 70 % images, 25 % random choices, 4 % administrators' reads, 1 % logins; ${(count / seconds).toFixed(0)} a second for ${seconds.toFixed(0)} s`,
          'The MD5 of every image is compared with that of its file, and descriptions with the files; other replies are parsed.',
          ...[...tally.failures].slice(0, 5),
        ],
        gates: [
          atMost('responses with 5xx', tally.serverErrors, 0),
          atMost('other responses than 200', tally.refused, 0),
          atMost('broken connections', tally.broken, 0),
          atMost('bodies with another hash', tally.wrong, 0),
        ],
      }
    } finally {
      await mix.server.stop()
    }
  },
}
