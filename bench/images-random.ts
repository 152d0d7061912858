import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { get, openConnection } from './connection.ts'
import {
  type Contestant,
  type ContestOptions,
  compete,
  contestant,
  named,
  printContest,
  ratioGate,
  ratios,
  withBaseline,
} from './contest.ts'
import { type Gate, median } from './figures.ts'
import { bucket, filenameOf, kind } from './images-pool.ts'
import { dataDirWith, type Store, startStore } from './images-servers.ts'
import { tokenOn } from './people.ts'
import { type Server, startApi } from './server.ts'

const few = 1000
const mostSlower = 1.2
const mostDearer = 1.2
const mostFiltered = 2
const described = 1_000_000
const path = `/images/${kind}/random`
const filter = '?orientation=portrait&animated=false&minWidth=640'
/** Of 1,000 by 750 pixels: what is no image would leave the pool. */
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000003e8000002ee08020000000000000000000000', 'hex')

export interface RandomOptions extends ContestOptions {
  readonly manyObjects: number
}

/** A random choice: beside the bare runtime, from few objects and from many, and without repeats. */
export async function benchRandom({ folder, manyObjects, ...rounds }: RandomOptions): Promise<Gate[]> {
  const store = await startStore(folder, {})
  const servers: Server[] = [store]
  try {
    const server = await startOnFolder(folder)
    const [bare, own] = await withBaseline(folder, '1,000 in the folder', server, await randomImage(server))
    const names = { few: objects(few), many: objects(manyObjects) }
    const onCatalogue = async (name: string, count: number, env = {}) => {
      const filled = await startOnCatalogue(folder, store, count, env)
      return contestant(name, filled, own.name, { requests: [await randomImage(filled)], bytes: null })
    }
    const onFew = await onCatalogue(names.few, few)
    const onMany = await onCatalogue(names.many, manyObjects)
    const unseen = await withoutRepeats(onMany)
    const plain = await onCatalogue(`${objects(described)}, described`, described, { SHAPES: '1' })
    const filtered = withQuery(plain, filter)
    const contestants = [bare, own, onFew, onMany, unseen, plain, filtered]
    servers.push(...new Set(contestants.map((one) => one.server)))
    await compete(contestants, rounds)
    printContest(`GET ${path}, ${own.bytes} bytes`, contestants, rounds)
    return [
      ratioGate(contestants, {
        promise: `GET ${path}`,
        ...{ of: own.name, to: bare.name, mustReach: 0.6, aim: 0.75 },
      }),
      slowerGate(contestants, names),
      dearerGate('?repeat=no', onMany, unseen, mostDearer),
      dearerGate(filter, plain, filtered, mostFiltered),
    ]
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const randomImage = async ({ port }: Server) => get(path, await tokenOn(port))

/** The same server, once it has the order of the kind. */
async function withoutRepeats(plain: Contestant): Promise<Contestant> {
  const other = withQuery(plain, '?repeat=no')
  const [request = ''] = other.requests
  const connection = await openConnection(plain.server.port)
  while ((await connection.send(request)).status !== 200);
  connection.close()
  return other
}

/** The same request of the same user with a query. */
function withQuery({ name, server, requests: [request = ''] }: Contestant, query: string): Contestant {
  const requests = [request.replace(path, path + query)]
  return contestant(name + query, server, name, { requests, bytes: null })
}

export async function startOnFolder(folder: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const images = Array.from({ length: few }, (_, index) => {
    const bytes = Buffer.alloc(10_000, index)
    png.copy(bytes)
    return [filenameOf(index), bytes] as const
  })
  return startApi(folder, { DATA_DIR: await dataDirWith(folder, images), ...env })
}

/** Its store is away for listings, so that the catalogue stays as it was filled. */
async function startOnCatalogue(
  folder: string,
  store: Store,
  count: number,
  more: Readonly<Record<string, string>>,
): Promise<Server> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const endpoint = `http://127.0.0.1:${store.port}`
  const env = { DATA_DIR: dataDir, SOURCE: `${endpoint} ${bucket}`, OBJECTS: String(count), ...more }
  const filling = spawn(process.execPath, [join(import.meta.dirname, 'images-fill.ts')], { env, stdio: 'inherit' })
  const kill = () => filling.kill('SIGKILL')
  process.once('exit', kill)
  const [code] = await once(filling, 'exit')
  process.off('exit', kill)
  if (code !== 0) throw new Error(`the catalogue could not be filled: ${code}`)
  return startApi(folder, { DATA_DIR: dataDir, ...store.s3, CATALOGUE_REFRESH_SECONDS: '86400' })
}

const objects = (count: number) => `${count.toLocaleString('en')} in the catalogue`

function dearerGate(query: string, plain: Contestant, other: Contestant, most: number): Gate {
  const dearer = median(ratios(plain, other))
  return {
    promise: `GET ${path}${query} costs at most ${most.toFixed(1)} times the CPU of a plain one, ${plain.name}`,
    figure: dearer.toFixed(2),
    held: dearer <= most,
  }
}

function slowerGate(contestants: readonly Contestant[], names: { few: string; many: string }): Gate {
  const slower = median(ratios(named(contestants, names.few), named(contestants, names.many)))
  return {
    promise: `GET ${path}: ${names.many} cost at most ${mostSlower.toFixed(2)} times what ${few.toLocaleString('en')} do`,
    figure: slower.toFixed(2),
    held: slower <= mostSlower,
  }
}
