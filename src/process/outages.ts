import { Unavailable } from '../lib/unavailable.ts'
import type { Logger } from './logger.ts'

/** The parts in `Unavailable`, by the names of the probes. The catalogue logs its own failures. */
const parts: Readonly<Record<string, string | null>> = { 'the object store': 'objectStore', 'the list of images': null }

/** Logs one line when a part becomes unavailable, whoever notices, and one when it recovers: not one per request. */
export function createOutages(log: Logger) {
  const away = new Set<string>()
  const gone = (part: string, err: unknown) => {
    if (away.has(part)) return
    away.add(part)
    log.error({ part, err: err instanceof Error ? withoutStack(err) : err }, 'a dependency is unavailable')
  }
  /** The log, with lines about an unavailable part moved to level debug. */
  const filtered: Logger = Object.create(log)
  for (const level of ['warn', 'error'] as const)
    filtered[level] = (fields: unknown, ...rest: [string?]) => {
      const { err } = (typeof fields === 'object' && fields !== null ? fields : {}) as { readonly err?: unknown }
      if (!(err instanceof Unavailable)) return log[level](fields as object, ...rest)
      const part = parts[err.part] === undefined ? err.part : parts[err.part]
      if (part) gone(part, err)
      log.debug(fields as object, ...rest)
    }
  return {
    log: filtered,
    gone,
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
