import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolderStore } from '../src/drivers/objects/folder/folder.ts'
import { get, openConnection } from './connection.ts'
import { type Gate, median } from './figures.ts'
import { type Contestant, compete, named, printContest, type Rounds, ratioGate, ratios } from './images-contest.ts'
import { bucket, filenameOf, kind } from './images-pool.ts'
import { type Store, startStore } from './images-servers.ts'
import { registerPeople } from './people.ts'
import { residentMbOf } from './proc.ts'
import { type Server, startApi, startServer } from './server.ts'

const few = 1000
const mostSlower = 1.2
const path = `/images/${kind}/random`

export interface RandomOptions extends Rounds {
  readonly folder: string
  readonly manyObjects: number
}

/** A random choice: beside the bare runtime, and from few objects and from many. */
export async function benchRandom({ folder, manyObjects, ...rounds }: RandomOptions): Promise<Gate[]> {
  const store = await startStore(folder, {})
  const servers: Server[] = [store]
  try {
    const own = await contestant('1,000 in the folder', await startOnFolder(folder))
    const names = { few: objects(few), many: objects(manyObjects) }
    const startedAt = performance.now()
    const onFew = await contestant(names.few, await startOnCatalogue(folder, store, few), own.name)
    const onMany = await contestant(names.many, await startOnCatalogue(folder, store, manyObjects), own.name)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    const bare = await bareServer(folder, own)
    const contestants = [bare, own, onFew, onMany]
    servers.push(...contestants.map(({ server }) => server))
    await compete(contestants, rounds)
    printContest(`GET ${path}, ${own.bytes} bytes`, contestants, rounds)
    console.log(`  the catalogues were filled, and their services ready, within ${seconds} s`)
    printMemory(onFew, onMany)
    return [
      ratioGate(contestants, {
        promise: `GET ${path}`,
        ...{ of: own.name, to: bare.name, mustReach: 0.6, aim: 0.75 },
      }),
      slowerGate(contestants, names),
    ]
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

interface ServedContestant extends Contestant {
  readonly server: Server
  readonly body: string
}

async function contestant(name: string, server: Server, measure = 'bare node:http'): Promise<ServedContestant> {
  const [person] = await registerPeople(server.port, 1)
  const request = get(path, { Authorization: person?.accessToken ?? '' })
  const connection = await openConnection(server.port)
  const chosen = new Set<string>()
  let body = ''
  for (let i = 0; i < 50; i += 1) {
    const reply = await connection.send(request)
    if (reply.status !== 200) throw new Error(`GET ${path} answered ${reply.status}: ${reply.body}`)
    body = reply.body
    chosen.add(JSON.parse(body).name)
  }
  connection.close()
  if (chosen.size < 20) throw new Error(`GET ${path} chose ${chosen.size} images of 50`)
  return {
    ...{ name, server, measure, body, port: server.port, pids: [server.pid] },
    ...{ requests: [request], bytes: Buffer.byteLength(body), rates: [] },
  }
}

/** It gets the same request too, token and all: reading that is a part of both. */
async function bareServer(folder: string, { body, bytes, requests }: ServedContestant): Promise<ServedContestant> {
  const server = await startServer({ script: 'bench/bare.ts', readyPath: '/', env: { BODY: body }, folder })
  const name = 'bare node:http'
  return { name, server, measure: name, body, port: server.port, pids: [server.pid], requests, bytes, rates: [] }
}

async function startOnFolder(folder: string): Promise<Server> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const store = await openFolderStore({ dataDir })
  await store.createBucket(bucket)
  const { signal } = new AbortController()
  const size = 10_000
  const write = async (index: number) => {
    const body = (async function* () {
      yield Buffer.alloc(size, index)
    })()
    await store.write({ bucket, name: `${kind}/${filenameOf(index)}`, type: 'image/jpeg', size, body, signal })
  }
  const atOnce = 20
  for (let from = 0; from < few; from += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, index) => write(from + index)))
  await store.close()
  return startApi(folder, { DATA_DIR: dataDir })
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

function slowerGate(contestants: readonly Contestant[], names: { few: string; many: string }): Gate {
  const slower = median(ratios(named(contestants, names.few), named(contestants, names.many)))
  return {
    promise: `GET ${path}: ${names.many} cost at most ${mostSlower.toFixed(2)} times what ${few.toLocaleString('en')} do`,
    figure: slower.toFixed(2),
    held: slower <= mostSlower,
  }
}

function printMemory(onFew: ServedContestant, onMany: ServedContestant): void {
  const [fewMb, manyMb] = [onFew, onMany].map(({ server }) => residentMbOf(server.pid).toFixed(0))
  console.log(`  memory afterwards: ${fewMb} MB and ${manyMb} MB`)
}
