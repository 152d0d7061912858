import { setTimeout as sleep } from 'node:timers/promises'
import { resizeProcesses } from '../test/support/real-images.ts'
import { closedLoop } from './closed-loop.ts'
import { ask, get, openConnection } from './connection.ts'
import type { ContestOptions } from './contest.ts'
import { type Gate, median, printTable, quantile } from './figures.ts'
import { filenameOf, kind } from './images-pool.ts'
import { dataDirWith } from './images-servers.ts'
import { tokenOn } from './people.ts'
import { residentMbOf, untilIdle, watchMemory } from './proc.ts'
import { startApi } from './server.ts'

export const widths = [160, 320, 640, 960, 1280, 1920]
/** Copies, so that there are always sizes that nobody has asked for. */
const copies = 4
const clients = 200
const leastRate = 0.8
const mostHealthMs = 100
/** Beyond the images in memory, which have a limit of their own. */
const mostGrownMb = 20
const mostProcessMb = 400_000_000 / 1024 ** 2
const random = `/images/${kind}/random`

export const sizeOf = (index: number, query: string) => get(`/i/${kind}/${filenameOf(index)}?${query}`)

type Images = readonly (readonly [string, Buffer])[]

/** The service with and without clients that ask for ever other sizes, in rotation. */
export async function benchFlood({ folder, rounds, roundMs }: ContestOptions, images: Images): Promise<Gate[]> {
  const many = Array.from({ length: copies }, (_, copy) =>
    images.map(([, bytes], index) => [filenameOf(copy * images.length + index), bytes] as const),
  ).flat()
  const env = { DATA_DIR: await dataDirWith(folder, many), CATALOGUE_REFRESH_SECONDS: '86400' }
  const server = await startApi(folder, env)
  const { pid, port } = server
  const nextSize = sizesOf(many.length)
  try {
    const load = { name: random, port, requests: [get(random, await tokenOn(port))], bytes: null }
    await untilIdle(pid)
    await closedLoop(load, roundMs * 2)
    const rates: { calm: number; flooded: number }[] = []
    const looks: number[] = []
    const seen = { made: 0, refused: 0, processMb: 0 }
    await flood(port, nextSize, seen, async () => void (await closedLoop(load, roundMs)))
    const cachedBefore = await cachedMbOf(port)
    const memory = watchMemory(pid)
    for (let round = 0; round < rounds; round += 1) {
      await untilIdle(pid)
      const calm = await closedLoop(load, roundMs)
      const flooded = await flood(port, nextSize, seen, async () => {
        const isOver = new AbortController()
        const looking = lookOften(port, isOver.signal)
        const watching = setInterval(() => {
          for (const child of resizeProcesses(pid)) seen.processMb = Math.max(seen.processMb, residentMbOf(child) || 0)
        }, 20)
        const sent = await closedLoop(load, roundMs)
        clearInterval(watching)
        isOver.abort()
        looks.push(...(await looking))
        return sent
      })
      rates.push({ calm, flooded })
    }
    const grownMb = memory.stop()
    const cachedMb = (await cachedMbOf(port)) - cachedBefore
    return gatesOf({ rates, looks, grownMb, cachedMb, ...seen })
  } finally {
    await server.stop()
  }
}

async function cachedMbOf(port: number): Promise<number> {
  const { body } = await ask(port, get('/metrics'))
  return Number(/^menagerie_image_cache_bytes (\d+)$/m.exec(body)?.[1]) / 1024 ** 2
}

/** Requests for sizes, each of which nobody has asked for. */
function* sizes(images: number): Generator<string> {
  for (const format of ['', '&format=webp', '&format=png', '&format=avif'])
    for (const width of widths)
      for (let index = 0; index < images; index += 1) yield sizeOf(index, `w=${width}${format}`)
}

function sizesOf(images: number): () => string {
  const all = sizes(images)
  return () => {
    const { value, done } = all.next()
    if (done) throw new Error('every size has been asked for')
    return value
  }
}

interface Seen {
  made: number
  refused: number
  processMb: number
}

/** Clients that ask until `act` is done, and then disconnect. */
async function flood<T>(port: number, nextSize: () => string, seen: Seen, act: () => Promise<T>): Promise<T> {
  const connections = await Promise.all(
    Array.from({ length: clients }, () => openConnection(port, { keepsBodies: false })),
  )
  let isOver = false
  const asking = connections.map(async ({ send }) => {
    while (!isOver) {
      const reply = await send(nextSize()).catch(() => null)
      if (reply?.status === 200) seen.made += 1
      else if (reply?.status === 503) seen.refused += 1
      else if (reply) throw new Error(`a size was answered ${reply.status}`)
    }
  })
  try {
    await sleep(200)
    return await act()
  } finally {
    isOver = true
    for (const connection of connections) connection.close()
    await Promise.all(asking)
  }
}

/** Times of /health, every 20 ms: one that has to wait for the previous one counts from when it was due. */
async function lookOften(port: number, signal: AbortSignal): Promise<number[]> {
  const { send, close } = await openConnection(port)
  const looks: number[] = []
  for (let dueAt = performance.now(); !signal.aborted; dueAt += 20) {
    await sleep(Math.max(0, dueAt - performance.now()))
    await send(get('/health'))
    looks.push(performance.now() - dueAt)
  }
  close()
  return looks
}

interface Flooded extends Seen {
  readonly rates: readonly { readonly calm: number; readonly flooded: number }[]
  readonly looks: readonly number[]
  readonly grownMb: number
  readonly cachedMb: number
}

function gatesOf({ rates, looks, grownMb, cachedMb, made, refused, processMb }: Flooded): Gate[] {
  const kept = median(rates.map(({ calm, flooded }) => flooded / calm))
  const p99 = quantile(looks, 0.99)
  console.log(`\n${clients} clients ask for sizes that nobody has asked for: ${made} made, ${refused} refused`)
  printTable([
    ['', 'alone', 'meanwhile'],
    [random, median(rates.map(({ calm }) => calm)).toFixed(0), median(rates.map(({ flooded }) => flooded)).toFixed(0)],
  ])
  const meanwhile = `while ${clients} clients ask for sizes that nobody has asked for,`
  return [
    {
      promise: `${meanwhile} GET ${random} keeps ${leastRate} of its rate`,
      figure: kept.toFixed(2),
      held: kept >= leastRate,
    },
    {
      promise: `${meanwhile} /health takes at most ${mostHealthMs} ms (p99)`,
      figure: `${p99.toFixed(1)} ms`,
      held: p99 <= mostHealthMs,
    },
    {
      promise: `${meanwhile} the API grows by at most ${mostGrownMb} MB beyond the images that it caches, and each process that resizes has at most 400 MB`,
      figure: `${(grownMb - cachedMb).toFixed(1)} MB beyond ${cachedMb.toFixed(1)} MB, ${processMb.toFixed(0)} MB`,
      held: grownMb - cachedMb <= mostGrownMb && processMb <= mostProcessMb,
    },
  ]
}
