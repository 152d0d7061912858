import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/* Linux only. The kernel counts in hundredths of a second, whatever it schedules by (USER_HZ). */

/** CPU time that all threads of a process have used, in user space and in the kernel. */
export function cpuMsOf(pid: number): number {
  const [user = 0, system = 0] = timesOf(pid)
  return (user + system) * 10
}

/** CPU time that all programs of the machine have used, since it was started. */
export function busyMsOfMachine(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
  )
    .split(' ')
    .map(Number)
  return (user + nice + system + irq + softirq) * 10
}

/** CPU time of a process with its child processes: those that live, and those that have ended. */
export function cpuMsWithChildren(pid: number): number {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const living = listed === '' ? [] : listed.split(' ').map((child) => cpuMsOf(Number(child)))
  return living.reduce((sum, ms) => sum + ms, timesOf(pid).reduce((sum, ticks) => sum + ticks) * 10)
}

/** In user space and in the kernel, and the same of all children that have ended. */
function timesOf(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may contain spaces; utime, stime, cutime and cstime are the 12th to 15th fields after it.
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
}

/** A service may still list its images and read their headers when it is ready. */
export async function untilIdle(pid: number): Promise<void> {
  for (let turn = 0, before = Number.NEGATIVE_INFINITY; cpuMsOf(pid) - before > 20; turn += 1) {
    if (turn === 120) throw new Error(`process ${pid} is still busy`)
    before = cpuMsOf(pid)
    await sleep(500)
  }
}

export function residentMbOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kilobytes?.[1]) / 1024
}

const sampleMs = 20

export interface Watch {
  readonly idleMb: number
  /** The peak of resident memory, minus the initial value. Call this before the process ends. */
  stop(): number
}

/** Samples a process's memory until stopped. */
export function watchMemory(pid: number): Watch {
  const idleMb = residentMbOf(pid)
  let mostMb = idleMb
  const look = () => {
    mostMb = Math.max(mostMb, residentMbOf(pid))
  }
  const timer = setInterval(look, sampleMs)
  return {
    idleMb,
    stop() {
      clearInterval(timer)
      look()
      return mostMb - idleMb
    },
  }
}

/** Resident memory once the process has freed what it can. */
export async function settledMb(pid: number): Promise<number> {
  const samples: number[] = []
  for (let i = 0; i < 20; i += 1) {
    samples.push(residentMbOf(pid))
    await sleep(100)
  }
  return Math.min(...samples)
}
