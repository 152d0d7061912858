import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { get } from '../connection.ts'
import { seedCrowd } from '../crowd.ts'
import { quantile } from '../figures.ts'
import { kind } from '../images-pool.ts'
import { fillCatalogue } from '../images-random.ts'
import { unreachableStore } from '../images-servers.ts'
import { ownerSettings, registerPeople, signInOwner } from '../people.ts'
import { startApi } from '../server.ts'
import { readWholeList } from '../whole-list.ts'
import { atRate } from './arrivals.ts'
import { atMost, under } from './gates.ts'
import { latencies } from './latencies.ts'
import type { LoadRun } from './load-run.ts'
import { onOwnCore } from './own-core.ts'
import { createPool } from './pool.ts'
import { probe, watchServer } from './samples.ts'

const many = 100_000
const perSecond = 300
const lists = ['/admin/users', '/admin/users/dashboard']

export const manyOfEach: LoadRun = {
  id: 'L10',
  title: `${many} users, and ${many} images of a kind`,
  async run({ folder, scaled }) {
    const durationMs = scaled(120_000, 10_000)
    const dataDir = await mkdtemp(join(folder, 'many-'))
    await fillCatalogue(dataDir, many)
    await seedCrowd({ DATA_DIR: dataDir, DATABASE_URL: null }, many)
    const server = await startApi(folder, { DATA_DIR: dataDir, ...unreachableStore, ...ownerSettings }, probe)
    try {
      const owner = await signInOwner(server.port)
      const readers = await registerPeople(server.port, 20)
      const requests = readers.map(({ accessToken }) => get(`/images/${kind}/random`, { Authorization: accessToken }))
      const pool = createPool(server.port, { maxConnections: 200 })
      const ms: number[] = []
      const choose = async (dueAt: number, index: number) => {
        const timed = await pool.send(requests[index % requests.length] ?? '', dueAt)
        if (timed.status !== 200) throw new Error(`a random choice was answered ${timed.status}`)
        ms.push(timed.ms)
      }
      await atRate({ perSecond, durationMs: 2000, call: choose })
      ms.length = 0
      const watch = await watchServer(server)
      await onOwnCore(() => atRate({ perSecond, durationMs, call: choose }))
      let [mostGrownMb, bytes] = [0, 0]
      for (const path of lists) {
        const list = await readWholeList({ ...server, ask: async () => ({}) }, path, owner)
        mostGrownMb = Math.max(mostGrownMb, list.grownMb)
        bytes += list.bytes
      }
      const watched = await watch.stop()
      pool.close()
      return {
        watched,
        notes: [
          `${perSecond} random choices a second for ${durationMs / 1000} s, warm: ${latencies(ms)}`,
          `Both lists of all users: ${(bytes / 1e6).toFixed(0)} MB, read one after the other`,
        ],
        gates: [
          under('a random choice, p99', quantile(ms, 0.99), 50, 'ms'),
          atMost('resident memory grows during a list of all users by', mostGrownMb, 64, 'MiB'),
        ],
      }
    } finally {
      await server.stop()
    }
  },
}
