import { readdirSync, readFileSync } from 'node:fs'
import type { Outages } from './outages.ts'

const checkEveryMs = 5_000
const part = 'fileDescriptors'

/** The soft limit; null if there is none, or not on Linux. */
export function maxOpenFiles(): number | null {
  if (process.platform !== 'linux') return null
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
  return soft === undefined ? null : Number(soft)
}

/** Reading the folder opens one descriptor itself. */
export const countOpenFiles = (): number => readdirSync('/proc/self/fd').length - 1

/** Without descriptors no connection is accepted, and nothing else says so. Returns a function that stops it. */
export function watchOpenFiles({ gone, back }: Pick<Outages, 'gone' | 'back'>): () => void {
  const check = () => {
    try {
      const [open, max] = [countOpenFiles(), maxOpenFiles() ?? Infinity]
      if (open < max * 0.8) back(part)
      else if (open > max * 0.95) gone(part, noneLeft(`${open} of ${max} are open`))
    } catch (error) {
      gone(part, error)
    }
  }
  if (process.platform !== 'linux') return () => {}
  const timer = setInterval(check, checkEveryMs).unref()
  return () => clearInterval(timer)
}

/** The error or cause that says so: of the process (EMFILE) or the machine (ENFILE). */
export function lackOfFiles(error: unknown): Error | null {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++)
    if (/^E[MN]FILE$/.test(String((each as NodeJS.ErrnoException).code))) return each
  return null
}

export const noneLeft = (why: string) =>
  new Error(`no file descriptor is left (${why}); close connections, or raise the limit (LimitNOFILE, ulimit -n)`)
