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
const path = `/images/${kind}/random`

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
    const onCatalogue = async (name: string, count: number) => {
      const filled = await startOnCatalogue(folder, store, count)
      return contestant(name, filled, own.name, { requests: [await randomImage(filled)], bytes: null })
    }
    const onFew = await onCatalogue(names.few, few)
    const onMany = await onCatalogue(names.many, manyObjects)
    const unseen = await withoutRepeats(onMany)
    const contestants = [bare, own, onFew, onMany, unseen]
    servers.push(...new Set(contestants.map((one) => one.server)))
    await compete(contestants, rounds)
    printContest(`GET ${path}, ${own.bytes} bytes`, contestants, rounds)
    return [
      ratioGate(contestants, {
        promise: `GET ${path}`,
        ...{ of: own.name, to: bare.name, mustReach: 0.6, aim: 0.75 },
      }),
      slowerGate(contestants, names),
      dearerGate(onMany, unseen),
    ]
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const randomImage = async ({ port }: Server) => get(path, await tokenOn(port))

/** The same server, once it has the order of the kind. */
async function withoutRepeats({ name, server }: Contestant): Promise<Contestant> {
  const request = get(`${path}?repeat=no`, await tokenOn(server.port))
  const connection = await openConnection(server.port)
  while ((await connection.send(request)).status !== 200);
  connection.close()
  return contestant(`${name}, repeat=no`, server, name, { requests: [request], bytes: null })
}

export async function startOnFolder(folder: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const images = Array.from({ length: few }, (_, index) => [filenameOf(index), Buffer.alloc(10_000, index)] as const)
  return startApi(folder, { DATA_DIR: await dataDirWith(folder, images), ...env })
}

/** Its store is away for listings, so that the catalogue stays as it was filled. */
async function startOnCatalogue(folder: string, store: Store, count: number): Promise<Server> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const endpoint = `http://127.0.0.1:${store.port}`
  const env = { DATA_DIR: dataDir, SOURCE: `${endpoint} ${bucket}`, OBJECTS: String(count) }
  const filling = spawn(process.execPath, [join(import.meta.dirname, 'images-fill.ts')], { env, stdio: 'inherit' })
  const kill = () => filling.kill('SIGKILL')
  process.once('exit', kill)
  const [code] = await once(filling, 'exit')
  process.off('exit', kill)
  if (code !== 0) throw new Error(`the catalogue could not be filled: ${code}`)
  return startApi(folder, { DATA_DIR: dataDir, ...store.s3, CATALOGUE_REFRESH_SECONDS: '86400' })
}

const objects = (count: number) => `${count.toLocaleString('en')} in the catalogue`

function dearerGate(plain: Contestant, unseen: Contestant): Gate {
  const dearer = median(ratios(plain, unseen))
  return {
    promise: `GET ${path}?repeat=no costs at most ${mostDearer.toFixed(1)} times the CPU of a plain one, ${plain.name}`,
    figure: dearer.toFixed(2),
    held: dearer <= mostDearer,
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
