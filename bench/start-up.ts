import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Gate, median, printTable } from './figures.ts'
import { residentMbOf } from './proc.ts'
import { startApi } from './server.ts'

const mostReadyMs = 400
const mostReadyAfterKillMs = 2000
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
  const afterKillMs = await startsAfterKill(folder, starts)
  console.log(`\nStart: ${starts} first starts, memory ${idleMs / 1000} s after the first 200 of /ready`)
  printTable([
    ['', 'median', 'worst'],
    ['process start to ready', `${median(readyMs).toFixed(0)} ms`, `${Math.max(...readyMs).toFixed(0)} ms`],
    ['the same after kill -9', `${median(afterKillMs).toFixed(0)} ms`, `${Math.max(...afterKillMs).toFixed(0)} ms`],
    ['idle memory', `${median(idleMb).toFixed(0)} MB`, `${Math.max(...idleMb).toFixed(0)} MB`],
  ])
  const gate = (promise: string, figure: number, most: number, unit: string): Gate => ({
    promise: promise.replace('#', `${most} ${unit}`),
    figure: `${figure.toFixed(0)} ${unit}`,
    held: figure <= most,
  })
  return [
    gate('ready within #', median(readyMs), mostReadyMs, 'ms'),
    gate('ready within # after kill -9', Math.max(...afterKillMs), mostReadyAfterKillMs, 'ms'),
    gate('idle memory at most #', Math.max(...idleMb), mostIdleMb, 'MB'),
  ]
}

async function startsAfterKill(folder: string, starts: number): Promise<number[]> {
  const readyMs: number[] = []
  for (let i = 0; i < starts; i += 1) {
    const env = { DATA_DIR: await mkdtemp(join(folder, 'killed-')) }
    const killed = await startApi(folder, env)
    process.kill(killed.pid, 'SIGKILL')
    await killed.stop()
    const again = await startApi(folder, env)
    readyMs.push(again.readyMs)
    await again.stop()
  }
  return readyMs
}
