import { setTimeout as sleep } from 'node:timers/promises'
import { residentMbOf } from './proc.ts'

const sampleMs = 50

export interface Watch {
  readonly idleMb: number
  /** Resident memory at its most, beyond what it was at first. To be called before the process ends. */
  stop(): number
}

/** Looks at a process's memory all the while. */
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

/** What it holds once it has given back what it can of what was done before. */
export async function settledMb(pid: number): Promise<number> {
  const samples: number[] = []
  for (let i = 0; i < 20; i += 1) {
    samples.push(residentMbOf(pid))
    await sleep(100)
  }
  return Math.min(...samples)
}
