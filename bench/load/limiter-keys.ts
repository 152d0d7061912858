import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { get, openConnection } from '../connection.ts'
import { startApi } from '../server.ts'
import { atLeast, atMost, onlyInFull } from './gates.ts'
import type { LoadRun } from './load-run.ts'
import { onOwnCore } from './own-core.ts'
import { grownMb, probe, watchServer } from './samples.ts'

const program = join(import.meta.dirname, '../../test/drivers/counters/million-keys.ts')
const connections = 64
const most = 1_000_000

const addressOf = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`

export const limiterKeys: LoadRun = {
  id: 'L11',
  title: 'a million addresses in the rate limits',
  async run({ folder, isFull, scaled }) {
    const count = scaled(most, 20_000)
    const windowSeconds = isFull ? 600 : 60
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...['--expose-gc', '--max-semi-space-size=1', program],
    ])
    const table = JSON.parse(stdout)
    const env = { TRUST_PROXY: 'loopback', RATE_LIMIT_GLOBAL_WINDOW_SECONDS: String(windowSeconds) }
    const server = await startApi(folder, env, probe)
    try {
      const asks = await Promise.all(Array.from({ length: connections }, () => openConnection(server.port)))
      const hit = async (ask: (typeof asks)[number] | undefined, index: number) => {
        const reply = await ask?.send(get('/health', { 'X-Forwarded-For': addressOf(index) }))
        const read = (name: string) =>
          Number(new RegExp(`\r\nx-ratelimit-${name}: (\\d+)`, 'i').exec(reply?.head ?? '')?.[1])
        return read('limit') - read('remaining')
      }
      const keys = async () => {
        const { body } = (await asks[0]?.send(get('/metrics'))) ?? { body: '' }
        return Number(/\nmenagerie_rate_limit_keys (\d+)/.exec(body)?.[1])
      }
      // What V8 keeps for compiled code and for garbage does not belong to the keys.
      for (let warm = 0; warm < 5000; warm += 1) await hit(asks[warm % connections], warm % 100)
      const watch = await watchServer(server)
      let next = 100
      const drive = async (ask: (typeof asks)[number]) => {
        while (next < count) await hit(ask, next++)
      }
      await onOwnCore(() => Promise.all(asks.map(drive)))
      const held = await keys()
      const filledMb = grownMb(watch.samples)
      // Counted once before, so the second time each has its own count if none was evicted.
      const again = [100, Math.floor(count / 2), count - 1]
      const counts: number[] = []
      for (const index of again) counts.push(await hit(asks[0], index))
      const early = counts.filter((each) => each !== 2).length + Math.max(0, count - held)
      const lastAt = performance.now()
      while ((await keys()) > count / 10 && performance.now() - lastAt < windowSeconds * 2000) await sleep(500)
      const freed = 1 - (await keys()) / held
      const freedSeconds = (performance.now() - lastAt) / 1000
      const watched = await watch.stop()
      for (const ask of asks) ask.close()
      return {
        watched,
        notes: [
          `${count} addresses through the service, windows of ${windowSeconds} s; and a million in the table of counters alone, as in test/drivers/counters.`,
          `${held} keys counted; ${(freed * 100).toFixed(0)} % of them freed ${freedSeconds.toFixed(0)} s after the last`,
        ],
        gates: [
          atMost('resident memory of the table with a million keys', table.grownBytes / 1024 ** 2, 64, 'MiB'),
          onlyInFull(isFull, atMost('resident memory of the service grows by', filledMb, 64, 'MiB')),
          atMost('counters evicted early, in the service and in the table', early + (most - table.held), 0),
          atLeast('freed by expiry', freed * 100, 90, '%'),
          atMost('until then, a window after the last', freedSeconds, windowSeconds + 2, 's'),
        ],
      }
    } finally {
      await server.stop()
    }
  },
}
