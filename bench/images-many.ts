import { setTimeout as sleep } from 'node:timers/promises'
import { get, openConnection } from './connection.ts'
import { type Gate, printTable } from './figures.ts'
import { kind } from './images-pool.ts'
import { startStore } from './images-servers.ts'
import { tokenOn } from './people.ts'
import { settledMb, watchMemory } from './proc.ts'
import { startApi } from './server.ts'

const few = 1000
const mostMoreMb = 64
const mostMs = 180_000

interface Listed {
  readonly count: number
  readonly listedMs: number
  readonly idleMb: number
  readonly mostMb: number
  readonly afterMb: number
}

/** Memory of a service after its first listing of all objects of an S3 store. */
export async function benchFirstListing(size: { folder: string; listedObjects: number }): Promise<Gate[]> {
  const { folder, listedObjects: many } = size
  const first = await list(folder, few)
  const second = await list(folder, many)
  console.log('\nA first listing, from an S3 server in pages of 1,000')
  const mb = (value: number) => `${value.toFixed(0)} MB`
  printTable([
    ['', 'listed within', 'memory before', 'at most', 'afterwards'],
    ...[first, second].map(({ count, listedMs, idleMb, mostMb, afterMb }) => [
      `${count.toLocaleString('en')} objects`,
      `${(listedMs / 1000).toFixed(1)} s`,
      ...[mb(idleMb), mb(mostMb), mb(afterMb)],
    ]),
  ])
  const moreMb = second.afterMb - first.afterMb
  return [
    {
      promise: `${many.toLocaleString('en')} objects take at most ${mostMoreMb} MB more than ${few.toLocaleString('en')}`,
      figure: `${moreMb.toFixed(1)} MB, ${(second.mostMb - first.mostMb).toFixed(1)} MB at most while they are listed`,
      held: moreMb <= mostMoreMb,
    },
  ]
}

async function list(folder: string, count: number): Promise<Listed> {
  const store = await startStore(folder, { listed: count })
  const startedAt = performance.now()
  const server = await startApi(folder, { ...store.s3, CATALOGUE_REFRESH_SECONDS: '86400' })
  const memory = watchMemory(server.pid)
  try {
    const request = get('/images', await tokenOn(server.port))
    const connection = await openConnection(server.port)
    for (;;) {
      const { status, body } = await connection.send(request)
      if (status !== 200) throw new Error(`GET /images answered ${status}: ${body}`)
      const kinds: { kind: string; count: number }[] = JSON.parse(body).kinds
      if (kinds.find((each) => each.kind === kind)?.count === count) break
      if (performance.now() - startedAt > mostMs) throw new Error(`${count} objects were not listed in time: ${body}`)
      await sleep(100)
    }
    const listedMs = performance.now() - startedAt
    connection.close()
    const { idleMb } = memory
    const mostMb = idleMb + memory.stop()
    return { count, listedMs, idleMb, mostMb, afterMb: await settledMb(server.pid) }
  } finally {
    memory.stop()
    await server.stop()
    await store.stop()
  }
}
