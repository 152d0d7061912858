import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resizeProcesses } from '../test/support/real-images.ts'
import { ask } from './connection.ts'
import { type ContestOptions, compete, contestant, printContest, ratioGate } from './contest.ts'
import { type Gate, median, printTable } from './figures.ts'
import { benchFlood, sizeOf, widths } from './images-flood.ts'
import { bucket, filenameOf, kind } from './images-pool.ts'
import { dataDirWith } from './images-servers.ts'
import { photographs } from './photographs.ts'
import { cpuMsWithChildren, untilIdle } from './proc.ts'
import { type Server, startApi, startServer } from './server.ts'

const count = 25
const mostThumbnailBytes = 600_000
const mostTimesSharp = 1.3

/** Images at other widths: from memory, made for the first time, and asked for by a crowd. */
export async function benchSizes({ folder, ...rounds }: ContestOptions): Promise<Gate[]> {
  const images = (await photographs(count)).map((bytes, index) => [filenameOf(index), bytes] as const)
  const dataDir = await dataDirWith(folder, images)
  const stored = images.reduce((sum, [, bytes]) => sum + bytes.length, 0)
  console.log(`\n${count} photographs of ${Math.round(stored / count / 1000)} kB, at other widths`)
  const server = await startApi(folder, { DATA_DIR: dataDir, CATALOGUE_REFRESH_SECONDS: '86400' })
  try {
    return [
      idleGate(server),
      await thumbnails(server),
      await firstRequests(server, join(dataDir, 'objects', bucket, kind)),
      ...(await fromMemory(server, folder, rounds)),
      ...(await benchFlood({ folder, ...rounds }, images)),
    ]
  } finally {
    await server.stop()
  }
}

function idleGate({ pid }: Server): Gate {
  const isLoaded = /libvips|sharp/.test(readFileSync(`/proc/${pid}/maps`, 'utf8'))
  const processes = resizeProcesses(pid).length
  return {
    promise: 'before the first size is asked for, sharp is not loaded, and there is no process that resizes',
    figure: `${isLoaded ? 'loaded' : 'not loaded'}, ${processes} processes`,
    held: !isLoaded && processes === 0,
  }
}

async function thumbnails({ port }: Server): Promise<Gate> {
  let bytes = 0
  for (let index = 0; index < count; index += 1) bytes += (await ask(port, sizeOf(index, 'w=320&format=webp'))).bytes
  return {
    promise: `${count} thumbnails of 320 pixels as WebP have at most ${mostThumbnailBytes / 1000} kB`,
    figure: `${Math.round(bytes / 1000)} kB`,
    held: bytes <= mostThumbnailBytes,
  }
}

/** Each width is asked for once, and made once by a process with nothing but sharp. */
async function firstRequests({ pid, port }: Server, folder: string): Promise<Gate> {
  const alone = fork(join(import.meta.dirname, 'images-sharp.ts'), { env: { FOLDER: folder } })
  const kill = () => alone.kill('SIGKILL')
  process.once('exit', kill)
  await once(alone, 'message')
  const makeAlone = async (width: number) => {
    alone.send(width)
    await once(alone, 'message')
  }
  const request = async (width: number) => {
    for (let index = 0; index < count; index += 1) await ask(port, sizeOf(index, `w=${width}`))
  }
  const spentBy = async (by: number, act: () => Promise<void>) => {
    const before = cpuMsWithChildren(by)
    await act()
    return cpuMsWithChildren(by) - before
  }
  try {
    await untilIdle(pid)
    await makeAlone(widths[0] as number)
    const rows: [width: number, own: number, alone: number][] = []
    for (const width of widths) {
      const own = await spentBy(pid, () => request(width))
      rows.push([width, own, await spentBy(alone.pid as number, () => makeAlone(width))])
    }
    printTable([
      ['first request, ms of CPU each', 'sharp alone', 'ratio'],
      ...rows.map(([width, own, other]) => [
        `${width} pixels: ${(own / count).toFixed(1)}`,
        (other / count).toFixed(1),
        (own / other).toFixed(2),
      ]),
    ])
    const ratio = median(rows.map(([, own, other]) => own / other))
    return {
      promise: `the first request for a size takes at most ${mostTimesSharp} times the CPU of sharp alone`,
      figure: ratio.toFixed(2),
      held: ratio <= mostTimesSharp,
    }
  } finally {
    process.off('exit', kill)
    alone.kill()
  }
}

async function fromMemory(server: Server, folder: string, rounds: Omit<ContestOptions, 'folder'>): Promise<Gate[]> {
  const request = sizeOf(0, 'w=320')
  const { bytes } = await ask(server.port, request)
  const env = { BYTES: String(bytes) }
  const bare = await startServer({ script: 'bench/bare.ts', readyPath: '/', env, folder })
  try {
    const load = { requests: [request], bytes }
    const baseline = 'bare node:http'
    const name = 'a JPEG of 320 pixels, from memory,'
    const contestants = [contestant(baseline, bare, baseline, load), contestant(name, server, baseline, load)]
    await compete(contestants, rounds)
    printContest(`A JPEG of 320 pixels, ${bytes} bytes`, contestants, rounds)
    return [ratioGate(contestants, { promise: name, of: name, to: baseline, mustReach: 0.8 })]
  } finally {
    await bare.stop()
  }
}
