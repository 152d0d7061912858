import { setTimeout as sleep } from 'node:timers/promises'
import { type Gate, median, printTable } from './figures.ts'
import { residentMbOf } from './proc.ts'
import { startApi } from './server.ts'

const mostReadyMs = 1000
const mostIdleMb = 110
const idleMs = 3000

/** First starts, each over an empty data folder: the slowest kind. */
export async function benchStartUp({ folder, starts }: { folder: string; starts: number }): Promise<Gate[]> {
  const readyMs: number[] = []
  const idleMb: number[] = []
  for (let i = 0; i < starts; i += 1) {
    const server = await startApi(folder)
    readyMs.push(server.readyMs)
    await sleep(idleMs)
    idleMb.push(residentMbOf(server.pid))
    await server.stop()
  }
  console.log(`\nStart: ${starts} first starts, memory ${idleMs / 1000} s after the first 200 of /ready`)
  printTable([
    ['', 'median', 'worst'],
    ['process start to ready', `${median(readyMs).toFixed(0)} ms`, `${Math.max(...readyMs).toFixed(0)} ms`],
    ['idle memory', `${median(idleMb).toFixed(0)} MB`, `${Math.max(...idleMb).toFixed(0)} MB`],
  ])
  return [
    {
      promise: `ready within ${mostReadyMs} ms`,
      figure: `${median(readyMs).toFixed(0)} ms`,
      held: median(readyMs) <= mostReadyMs,
    },
    {
      promise: `idle memory at most ${mostIdleMb} MB`,
      figure: `${Math.max(...idleMb).toFixed(0)} MB`,
      held: Math.max(...idleMb) <= mostIdleMb,
    },
  ]
}
