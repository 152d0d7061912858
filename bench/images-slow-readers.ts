import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, get, openConnection } from './connection.ts'
import { type Gate, printTable, quantile } from './figures.ts'
import { kind } from './images-pool.ts'
import { dataDirWith } from './images-servers.ts'
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
  const ofFolder = await measure(await startApi(folder, { DATA_DIR: await dataDirWith(folder, images) }), slowMs)
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

async function measure(server: Server, slowMs: number): Promise<Watched> {
  const answers = new Map<Socket, string>()
  const sockets: Socket[] = []
  let memory: Watch | undefined
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(1024)
  }, readEveryMs)
  try {
    const prober = await openConnection(server.port)
    const request = get(`/i/${kind}/small.jpg`)
    await prober.send(request)
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

/** At a fixed rate: a look that has to wait for the previous one counts from when it was due. */
async function lookOften({ send }: Connection, request: string, signal: AbortSignal): Promise<number[]> {
  const looks: number[] = []
  for (let dueAt = performance.now(); !signal.aborted; dueAt += lookEveryMs) {
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const { status } = await send(request)
    if (status !== 200) throw new Error(`a cached image was answered ${status}`)
    looks.push(performance.now() - dueAt)
  }
  return looks
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
