import { availableParallelism, cpus, totalmem } from 'node:os'
import { busyMsOfMachine, cpuMsWithChildren } from '../proc.ts'

export const aboutMachine = () =>
  `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${(totalmem() / 1024 ** 3).toFixed(0)} GiB of memory, ` +
  `${process.platform}, Node ${process.version}`

/** What a run took, and what other programs took from it: on a busy machine, a missed latency says little. */
export function watchMachine() {
  const start = { at: performance.now(), busyMs: busyMsOfMachine(), ownMs: cpuMsWithChildren(process.pid) }
  return {
    stop(): string {
      const ms = performance.now() - start.at
      // Ended children of children are not counted as their parents' by the kernel until these have ended.
      const othersMs = Math.max(0, busyMsOfMachine() - start.busyMs - (cpuMsWithChildren(process.pid) - start.ownMs))
      const share = Math.round((othersMs / ms / availableParallelism()) * 100)
      return `${(ms / 1000).toFixed(0)} s in all; programs outside of this run used ${share} % of the cores.`
    },
  }
}
