import { globSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, get } from '../connection.ts'
import { filenameOf, kind } from '../images-pool.ts'
import { startStore } from '../images-servers.ts'
import { untilIdle } from '../proc.ts'
import { startApi } from '../server.ts'
import { atRate } from './arrivals.ts'
import { atLeast, atMost } from './gates.ts'
import type { LoadRun } from './load-run.ts'
import { onOwnCore } from './own-core.ts'
import { descriptorsOf, grownMb, probe, watchServer } from './samples.ts'

const perMinute = 10_000
const objectBytes = 20 * 1024 * 1024
const objects = 1000

/** Every other one leaves once it has read something, the others at once. Resolves to what arrived first. */
function leave(port: number, index: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect({ host: '127.0.0.1', port }, () => {
    socket.write(get(`/i/${kind}/${filenameOf(index % objects)}`))
    if (index % 2 === 1) setTimeout(() => socket.destroy(), 2)
  })
  let first = ''
  socket.on('error', () => {})
  socket.once('data', (piece) => {
    first = piece.toString('latin1', 0, 300)
    socket.destroy()
  })
  socket.once('close', () => resolve(first))
  return promise
}

export const aborts: LoadRun = {
  id: 'L08',
  title: `${perMinute} downloads broken off in a minute`,
  async run({ folder, scaled }) {
    const durationMs = scaled(600_000, 15_000)
    const store = await startStore(folder, { objectBytes, listed: objects })
    const openOnes = async () => Number((await ask(store.port, get('/open'))).body)
    try {
      const server = await startApi(folder, { ...store.s3, CATALOGUE_REFRESH_SECONDS: '86400' }, probe)
      try {
        await untilIdle(server.pid)
        const before = descriptorsOf(server.pid)
        const watch = await watchServer(server)
        let [reads, mostOpen] = [0, 0]
        const odd = new Set<string>()
        const call = async (_: number, index: number) => {
          const first = await leave(server.port, index)
          if (first !== '') reads += 1
          if (!/^(HTTP\/1.1 200 |$)/.test(first)) odd.add(first)
          if (index % 100 === 0) mostOpen = Math.max(mostOpen, await openOnes())
        }
        await onOwnCore(() => atRate({ perSecond: perMinute / 60, durationMs, call }))
        await sleep(2000)
        const openAfter = await openOnes()
        const descriptorsAfter = descriptorsOf(server.pid)
        const watched = await watch.stop()
        const logs = globSync(join(folder, `${server.port}.log`)).map((path) => readFileSync(path, 'utf8'))
        const warnings = logs.join('').split('MaxListenersExceededWarning').length - 1
        return {
          watched,
          notes: [
            `${durationMs / 1000} s over an S3 server with images of 20 MiB; ${reads} had read something, the others left at once. At most ${mostOpen} downloads were open at the store.`,
            `Descriptors: ${before} before, ${descriptorsAfter} 2 s after the last (idle connections to the store among them)`,
            ...[...odd].slice(0, 3),
          ],
          gates: [
            atLeast('downloads that had begun', reads, 1),
            atMost('other responses than 200', odd.size, 0),
            atMost('downloads open at the store after 2 s', openAfter, 0),
            atMost('warnings of too many listeners', warnings, 0),
            atMost('resident memory grows by', grownMb(watched.samples), 128, 'MiB'),
          ],
        }
      } finally {
        await server.stop()
      }
    } finally {
      await store.stop()
    }
  },
}
