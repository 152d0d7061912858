import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Resizer } from '../../images/sizes/resizer.ts'
import { NoResizer } from '../../images/sizes/resizer-errors.ts'
import { type ResizeLimits, ResizeProcess } from './process.ts'

export interface ResizerTimes extends ResizeLimits {
  /** A process ends after this long without work. */
  readonly idleMs: number
}

export const resizerTimes: ResizerTimes = { timeoutMs: 10_000, maxBytes: 400_000_000, idleMs: 60_000 }

/** However many cores there are: each takes up to `maxBytes`. */
const maxProcesses = 2

/** Of the memory that a process may take: one that keeps more after its work is replaced by a new one. */
const maxKeptShare = 0.6

/** Increased whenever recipe.ts makes other bytes. */
const recipe = 1

/** Null if sharp is not installed, which is optional. Loads nothing. */
export function sharpVersion(): string | null {
  try {
    const main = createRequire(import.meta.url).resolve('sharp')
    return JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')).version
  } catch {
    return null
  }
}

/**
 * Decodes in processes of their own: what a hostile image does to its decoder costs one request. They start with the
 * first work, work on one image at a time, and end after a pause.
 */
export function createResizer(version: string, { idleMs, ...limits }: ResizerTimes = resizerTimes): Resizer {
  /** The last one was used last. */
  const idle: { readonly process: ResizeProcess; readonly timer: NodeJS.Timeout }[] = []
  const running = new Set<ResizeProcess>()
  let isClosed = false

  const take = async (): Promise<ResizeProcess> => {
    if (isClosed) throw new NoResizer('the service stops', { isFinal: false })
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      clearTimeout(last.timer)
      if (last.process.isRunning) return last.process
      void end(last.process)
    }
    const started = await ResizeProcess.start(limits)
    running.add(started)
    if (isClosed) await end(started)
    return started
  }

  const giveBack = (used: ResizeProcess) => {
    // Otherwise, an image would be refused for memory that those before it have left behind.
    if (!used.isRunning || used.memoryBytes() > limits.maxBytes * maxKeptShare) return void end(used)
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex(({ process }) => process === used),
        1,
      )
      void end(used)
    }, idleMs).unref()
    idle.push({ process: used, timer })
  }

  const end = async (process: ResizeProcess) => {
    await process.end()
    running.delete(process)
  }

  return {
    recipe: `${recipe} of sharp ${version}`,
    max: Math.min(availableParallelism(), maxProcesses),
    async resize(job, chunks) {
      const process = await take()
      try {
        return await process.resize(job, chunks)
      } finally {
        giveBack(process)
      }
    },
    memoryBytes: () => [...running].reduce((sum, each) => sum + each.memoryBytes(), 0),
    async close() {
      isClosed = true
      for (const { timer } of idle) clearTimeout(timer)
      await Promise.all([...running].map(end))
    },
  }
}
