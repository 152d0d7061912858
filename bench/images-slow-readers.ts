import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from './connection.ts'
import { type Gate, printTable, quantile } from './figures.ts'
import { kind } from './images-pool.ts'
import { dataDirWith } from './images-servers.ts'
import { createPool, type Pool } from './load/pool.ts'
import { cpuMsOf, settledMb, type Watch, watchMemory } from './proc.ts'
import { type Server, startApi } from './server.ts'

const readers = 1000
const largeBytes = 20 * 1024 * 1024
const images = [
  ['large.jpg', Buffer.alloc(largeBytes, 'menagerie')],
  ['small.jpg', Buffer.alloc(10_000, 'menagerie')],
] as const
const mostMoreMb = 128
/** This many arrive at the same time. */
const comingAtOnce = 50
const readEveryMs = 1000
const lookEveryMs = 20
const probers = 32
const mostComingMs = 20_000
const calmMs = 250
const calmShare = 0.2

interface Watched {
  readonly grownMb: number
  readonly served: number
  readonly brokenOff: number
  /** Duration of a cached image while readers arrive, and once all are there and have stalled. */
  readonly looks: { readonly coming: readonly number[]; readonly stalled: readonly number[] }
}

/** Readers that read a little of a large image and then hardly any more. */
export async function benchSlowReaders({ folder, slowMs }: { folder: string; slowMs: number }): Promise<Gate[]> {
  const ofFolder = await measure(await startWithLargeImage(folder), slowMs)
  console.log(`\n${readers} slow readers of an image of ${largeBytes / 1024 ** 2} MiB, for ${slowMs / 1000} s`)
  const ms = (looks: readonly number[], share: number) => `${quantile(looks, share).toFixed(1)} ms`
  printTable([
    ['a cached image meanwhile', 'p50', 'p99', 'max'],
    ...Object.entries(ofFolder.looks).map(([when, looks]) => [
      when,
      ...[0.5, 0.99, 1].map((share) => ms(looks, share)),
    ]),
  ])
  const isServed = ofFolder.served === readers && ofFolder.brokenOff === 0
  return [
    {
      promise: `${readers} slow readers of 20 MB take at most ${mostMoreMb} MB`,
      figure: `${ofFolder.grownMb.toFixed(1)} MB${isServed ? '' : `, ${ofFolder.served} were served, ${ofFolder.brokenOff} broke off`}`,
      held: ofFolder.grownMb <= mostMoreMb && isServed,
    },
  ]
}

export const startWithLargeImage = async (folder: string, preload?: string) =>
  startApi(folder, { DATA_DIR: await dataDirWith(folder, images) }, preload)

/** Stops the server, too; `beforeStop` still finds it running. */
export async function measure(
  server: Server,
  slowMs: number,
  beforeStop: () => Promise<unknown> = async () => {},
): Promise<Watched> {
  const answers = new Map<Socket, string>()
  const sockets: Socket[] = []
  let memory: Watch | undefined
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(1024)
  }, readEveryMs)
  try {
    const prober = createPool(server.port, { maxConnections: probers })
    const request = get(`/i/${kind}/small.jpg`)
    // These connections exist before the readers come.
    await Promise.all(Array.from({ length: probers }, () => prober.send(request, performance.now())))
    await settledMb(server.pid)
    memory = watchMemory(server.pid)
    const end = new AbortController()
    const coming = lookOften(prober, request, end.signal)
    for (let index = 0; index < readers; index += 1) {
      sockets.push(openReader(server.port, answers))
      if (index % comingAtOnce === comingAtOnce - 1) await sleep(20)
    }
    await untilCalm(server.pid, () => answers.size === readers)
    end.abort()
    const looks = { coming: await coming, stalled: await lookOften(prober, request, AbortSignal.timeout(slowMs)) }
    prober.close()
    const served = [...answers.values()].filter((text) => text.startsWith('HTTP/1.1 200 ')).length
    const brokenOff = sockets.filter((socket) => socket.destroyed).length
    return { grownMb: memory.stop(), served, brokenOff, looks }
  } finally {
    clearInterval(reading)
    memory?.stop()
    for (const socket of sockets) socket.destroy()
    await beforeStop()
    await server.stop()
  }
}

/** Waits until the kernel's buffer for each reader is full. */
async function untilCalm(pid: number, isEverybodyThere: () => boolean): Promise<void> {
  const deadline = performance.now() + mostComingMs
  for (let before = Number.NEGATIVE_INFINITY; performance.now() < deadline; ) {
    const cpuMs = cpuMsOf(pid)
    if (isEverybodyThere() && cpuMs - before < calmShare * calmMs) return
    before = cpuMs
    await sleep(calmMs)
  }
}

/** At a fixed rate, on another connection while one waits for its response. */
async function lookOften(prober: Pool, request: string, signal: AbortSignal): Promise<number[]> {
  const looks: Promise<number>[] = []
  const look = async (dueAt: number) => {
    const { status, ms } = await prober.send(request, dueAt)
    if (status !== 200) throw new Error(`a cached image was answered ${status}`)
    return ms
  }
  for (let dueAt = performance.now(); !signal.aborted; dueAt += lookEveryMs) {
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const looking = look(dueAt)
    // Thrown below.
    looking.catch(() => {})
    looks.push(looking)
  }
  return Promise.all(looks)
}

/** Paused: unread bytes stay in the kernel, and then at the server. */
function openReader(port: number, answers: Map<Socket, string>): Socket {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => {})
  socket.once('readable', () => {
    const piece: Buffer | null = socket.read(1024) ?? socket.read()
    answers.set(socket, piece?.toString('latin1', 0, 20) ?? '')
  })
  socket.on('readable', () => {})
  socket.write(get(`/i/${kind}/large.jpg`))
  return socket
}
