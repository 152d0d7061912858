import { Unavailable } from '../lib/unavailable.ts'
import type { Logger } from './logger.ts'
import { lackOfFiles, noneLeft } from './open-files.ts'

/** The parts in `Unavailable`, by the names of the probes. The catalogue logs its own failures. */
const parts: Readonly<Record<string, string | null>> = { 'the object store': 'objectStore', 'the list of images': null }

/** Of the folder of images: SQLite reports a full or read-only disk as Unavailable. */
const isFullDisk = (err: unknown) => /^(ENOSPC|EDQUOT|EROFS)$/.test(String((err as { code?: unknown } | null)?.code))

/** Null if the error says nothing about a part, or the part logs it itself. */
const partOf = (err: unknown): string | null => {
  if (err instanceof Unavailable) return parts[err.part] === undefined ? err.part : (parts[err.part] ?? null)
  if (lackOfFiles(err)) return 'fileDescriptors'
  return isFullDisk(err) ? 'objectStore' : null
}

/** Logs one line when a part becomes unavailable, whoever notices, and one when it recovers: not one per request. */
export function createOutages(log: Logger) {
  const away = new Set<string>()
  const gone = (failed: string, reason: unknown) => {
    // Whatever failed for want of a descriptor is not itself unavailable.
    const noFile = lackOfFiles(reason)
    const [part, err] = noFile ? ['fileDescriptors', noneLeft(noFile.message)] : [failed, reason]
    if (away.has(part)) return
    away.add(part)
    log.error({ part, err: err instanceof Error ? withoutStack(err) : err }, 'a dependency is unavailable')
  }
  /** The log, with lines about an unavailable part moved to level debug. */
  const filtered: Logger = Object.create(log)
  for (const level of ['warn', 'error'] as const)
    filtered[level] = (fields: unknown, ...rest: [string?]) => {
      const { err } = (typeof fields === 'object' && fields !== null ? fields : {}) as { readonly err?: unknown }
      const part = partOf(err)
      if (part === null && !(err instanceof Unavailable)) return log[level](fields as object, ...rest)
      if (part !== null) gone(part, err)
      log.debug(fields as object, ...rest)
    }
  return {
    log: filtered,
    gone,
    isAway: (part: string) => away.has(part),
    back(part: string): void {
      if (away.delete(part)) log.info({ part }, 'a dependency is available again')
    },
  }
}

export type Outages = ReturnType<typeof createOutages>

/** Type and message of the error and its causes. */
export function withoutStack(error: Error): { readonly type: string; readonly message: string } {
  const causes: string[] = []
  for (let each: unknown = error; each instanceof Error && causes.length < 5; each = each.cause)
    causes.push(each.message || String((each as NodeJS.ErrnoException).code ?? each.name))
  return { type: error.name, message: causes.join(': ') }
}
