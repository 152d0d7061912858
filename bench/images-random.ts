import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { get, openConnection } from './connection.ts'
import {
  type Contestant,
  type ContestOptions,
  compete,
  contestant,
  costGate,
  printContest,
  ratioGate,
  withBaseline,
} from './contest.ts'
import type { Delays } from './event-loop-probe.ts'
import type { Gate } from './figures.ts'
import { bucket, filenameOf, kind } from './images-pool.ts'
import { dataDirWith, unreachableStore } from './images-servers.ts'
import { tokenOn } from './people.ts'
import { type Server, startApi } from './server.ts'

const few = 1000
const described = 1_000_000
const path = `/images/${kind}/random`
const filter = '?orientation=portrait&animated=false&minWidth=640'
/** A tenth of the described images has the tag. */
const [tagged, tagFilter] = [described / 10, '?tags=snow']
const compiledFilters = 20
const mostDelayMs = 20
/** 1,000 by 750 pixels: an object that is no image would leave the pool. */
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000003e8000002ee08020000000000000000000000', 'hex')

export interface RandomOptions extends ContestOptions {
  readonly manyObjects: number
}

/** A random choice: compared with the bare runtime, from few objects and from many, and without repeats. */
export async function benchRandom({ folder, manyObjects, ...rounds }: RandomOptions): Promise<Gate[]> {
  const servers: Server[] = []
  try {
    const server = await startOnFolder(folder)
    const [bare, own] = await withBaseline(folder, '1,000 in the folder', server, await randomImage(server))
    const onCatalogue = async (count: number, env = {}) => {
      const filled = await startOnCatalogue(folder, count, env)
      const name = `${count.toLocaleString('en')} in the catalogue${'SHAPES' in env ? ', described' : ''}`
      return contestant(name, filled, own.name, { requests: [await randomImage(filled)], bytes: null })
    }
    const onFew = await onCatalogue(few)
    const onMany = await onCatalogue(manyObjects)
    // Another query makes the compiled code of both more general, so these do not share a server with those above.
    const plain = await onCatalogue(described, { SHAPES: '1' })
    const unseen = await withoutRepeats(plain)
    const filtered = withQuery(plain, filter)
    const byTag = withQuery(plain, tagFilter)
    const contestants = [bare, own, onFew, onMany, plain, unseen, filtered, byTag]
    servers.push(...new Set(contestants.map((one) => one.server)))
    const delayMs = await compileFilters(plain)
    await compete(contestants, rounds)
    printContest(`GET ${path}, ${own.bytes} bytes`, contestants, rounds)
    return [
      ratioGate(contestants, {
        promise: `GET ${path}`,
        of: own.name,
        to: bare.name,
        mustReach: 0.6,
        aim: 0.75,
      }),
      // A few objects stay in memory; with many, each choice reads a page of the file: 1.24 to 1.33, 4 µs.
      costGate(`GET ${path}`, onFew, onMany, 1.4),
      costGate(`GET ${path}`, plain, unseen, 1.2),
      costGate(`GET ${path}`, plain, filtered, 2),
      costGate(`GET ${path}`, plain, byTag, 2),
      {
        promise: `${compiledFilters} filters over ${described} images are compiled with the event loop late by at most ${mostDelayMs} ms`,
        figure: `${delayMs.toFixed(1)} ms`,
        held: delayMs <= mostDelayMs,
      },
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

/** How late the event loop is, at most, while filters are compiled that no request has had before. */
async function compileFilters({ server, requests: [request = ''] }: Contestant): Promise<number> {
  const connection = await openConnection(server.port)
  const send = async (to: string) => (await connection.send(request.replace(path, to))).body
  while (!(await send('/images/tags')).includes(`"count":${tagged}`)) await sleep(100)
  await server.ask('since the last question')
  for (let minWidth = 1; minWidth <= compiledFilters; minWidth++) await send(`${path}${tagFilter}&minWidth=${minWidth}`)
  connection.close()
  return ((await server.ask('since the last question')) as Delays).max
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

/** The store is unreachable, so that the catalogue stays as filled and no headers are read. */
export async function startOnCatalogue(
  folder: string,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  await fillCatalogue(dataDir, count, more)
  const isDescribed = 'SHAPES' in more
  const probe = isDescribed ? 'event-loop-probe.ts' : undefined
  const server = await startApi(folder, { DATA_DIR: dataDir, ...unreachableStore }, probe)
  if (isDescribed) tagImages(dataDir)
  return server
}

/** For a service whose store is `unreachableStore`. */
export async function fillCatalogue(
  dataDir: string,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const source = `${unreachableStore.S3_ENDPOINT} ${bucket}`
  const env = { DATA_DIR: dataDir, SOURCE: source, OBJECTS: String(count), ...more }
  const filling = spawn(process.execPath, [join(import.meta.dirname, 'images-fill.ts')], { env, stdio: 'inherit' })
  const kill = () => filling.kill('SIGKILL')
  process.once('exit', kill)
  const [code] = await once(filling, 'exit')
  process.off('exit', kill)
  if (code !== 0) throw new Error(`the catalogue could not be filled: ${code}`)
}

/** The service sees it within a second. */
function tagImages(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { timeout: 5_000 })
  db.exec('BEGIN IMMEDIATE; UPDATE image_details_version SET version = version + 1')
  const insert = db.prepare(
    "INSERT INTO image_details (name, tags, version, changed_at) SELECT ?, 'snow', version, 0 FROM image_details_version",
  )
  for (let index = 0; index < tagged; index++) insert.run(`${kind}/${filenameOf(index * 10)}`)
  db.exec('COMMIT')
  db.close()
}
