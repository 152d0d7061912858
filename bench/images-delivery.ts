import { join } from 'node:path'
import { get } from './connection.ts'
import { type Contestant, type ContestOptions, compete, contestant, printContest, ratioGate } from './contest.ts'
import type { Gate } from './figures.ts'
import { bucket, filenameOf, kind } from './images-pool.ts'
import { dataDirWith, type Store, startStore } from './images-servers.ts'
import { type Server, startApi, startServer } from './server.ts'

const objectBytes = 100_000
/** All fit into the cache, and no two concurrent requests are for the same file. */
const files = 256

const bare = {
  memory: 'bare node:http',
  undici: 'bare undici, signed GET',
  sdk: 'bare AWS SDK, GetObject',
  file: 'bare readFile',
}
const own = { cached: '/i, cached', missed: '/i, missed, S3', folder: '/i, missed, folder' }

interface Place {
  readonly folder: string
  readonly store: Store
  readonly dataDir: string
}

/** One image of 100 kB, by every delivery path, each compared with the least work possible. */
export async function benchDelivery({ folder, ...rounds }: ContestOptions): Promise<Gate[]> {
  const stops: { stop(): Promise<void> }[] = []
  const started = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const server = await starting
    stops.push(server)
    return server
  }
  try {
    const store = await started(startStore(folder, { objectBytes, listed: 0 }))
    const image = Buffer.alloc(objectBytes, 'menagerie')
    const images = Array.from({ length: files }, (_, index) => [filenameOf(index), image] as const)
    const dataDir = await dataDirWith(folder, images)
    const contestants: Contestant[] = []
    for (const [name, baseline, starting] of starters({ folder, store, dataDir })) {
      const load = { requests: requestsFor(baseline === bare.memory ? 1 : files), bytes: objectBytes }
      contestants.push(contestant(name, await started(starting()), baseline, load))
    }
    await compete(contestants, rounds)
    printContest(`An image of ${objectBytes} bytes`, contestants, rounds)
    const promise = (text: string) => `GET /i, ${objectBytes} bytes, ${text},`
    return [
      ratioGate(contestants, {
        promise: promise('from the cache'),
        of: own.cached,
        to: bare.memory,
        mustReach: 0.8,
        aim: 0.9,
      }),
      ratioGate(contestants, { promise: promise('missed, over S3'), of: own.missed, to: bare.undici, mustReach: 0.8 }),
      ratioGate(contestants, { promise: promise('missed, over S3'), of: own.missed, to: bare.sdk, mustReach: 2.5 }),
      ratioGate(contestants, { promise: promise('from the folder'), of: own.folder, to: bare.file, mustReach: 0.4 }),
    ]
  } finally {
    await Promise.all(stops.toReversed().map((server) => server.stop()))
  }
}

type Starter = readonly [name: string, baseline: string, start: () => Promise<Server>]

function starters({ folder, store, dataDir }: Place): readonly Starter[] {
  const bareServer = (script: string, env: Readonly<Record<string, string>>, readyPath = '/ready') =>
    startServer({ script: `bench/${script}.ts`, readyPath, env, folder })
  const uncached = { IMAGE_CACHE_BYTES: '0', CATALOGUE_REFRESH_SECONDS: '86400' }
  return [
    [bare.memory, bare.memory, () => bareServer('bare', { BYTES: String(objectBytes) }, '/')],
    [own.cached, bare.memory, () => startApi(folder, { ...store.s3, CATALOGUE_REFRESH_SECONDS: '86400' })],
    [bare.undici, bare.undici, () => bareServer('images-bare-s3', { ...store.env, BY: 'undici' })],
    [bare.sdk, bare.undici, () => bareServer('images-bare-s3', { ...store.env, BY: 'sdk' })],
    [own.missed, bare.undici, () => startApi(folder, { ...store.s3, ...uncached })],
    [bare.file, bare.file, () => bareServer('bare', { FOLDER: join(dataDir, 'objects', bucket) })],
    [own.folder, bare.file, () => startApi(folder, { DATA_DIR: dataDir, ...uncached })],
  ]
}

/** From memory, every request is for the same image; otherwise, each is for another. */
const requestsFor = (count: number) =>
  Array.from({ length: count }, (_, index) => get(`/i/${kind}/${filenameOf(index)}`))
