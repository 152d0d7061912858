import { TooSlow, Unavailable } from '../lib/unavailable.ts'
import { shownPath } from './access-log.ts'
import type { Call } from './call.ts'
import { protocolErrors } from './errors.ts'
import { type Refusal, Refused } from './refusal.ts'
import { errorsOf } from './route.ts'
import type { ServiceOptions } from './service.ts'

const logOutageEveryMs = 1000

/** Turns what a handler or the guard threw into an error response, and logs unexpected errors. */
export function createFailures({
  logs,
  clock,
  strict,
  everywhere = [],
  withoutSecrets = (path) => path,
}: ServiceOptions) {
  let lastOutageLogged = -Infinity

  const isDeclared = ({ route }: Call, refusal: Refusal) =>
    !strict || route === null || everywhere.includes(refusal) || errorsOf(route).includes(refusal)

  /** A dependency that stays down would flood the log: one line a second is enough. */
  function log(call: Call, error: unknown): void {
    const { requestId } = call
    if (!(error instanceof Unavailable)) {
      const request = { requestId, method: call.req.method, path: shownPath(call, withoutSecrets).slice(0, 256) }
      if (error instanceof TooSlow) return logs.log.warn({ ...request, err: error }, error.message)
      return logs.log.error({ ...request, err: error }, 'request failed')
    }
    if (clock.monotonic() - lastOutageLogged < logOutageEveryMs) return
    lastOutageLogged = clock.monotonic()
    logs.log.error({ requestId, part: error.part, err: error }, error.message)
  }

  /** The refusal itself; else the text that the contract names for the route; else 503 for an outage, or a plain 500. */
  function refusalOf(call: Call, error: unknown): Refusal {
    if (error instanceof Refused && isDeclared(call, error.refusal)) return error.refusal
    log(call, error)
    if (error instanceof Refused)
      return { status: 500, message: `undeclared refusal: ${error.message}`, envelope: 'message' }
    const message = call.admitted ? call.route?.onFailure : undefined
    const isTemporary = error instanceof Unavailable || error instanceof TooSlow
    if (message === undefined) return isTemporary ? protocolErrors.unavailable : protocolErrors.internal
    // The guard could read: the database takes no writes. A client may repeat them.
    const { status, headers } = protocolErrors.unavailable
    return error instanceof TooSlow || (error instanceof Unavailable && error.part === 'database')
      ? { status, message, headers, envelope: 'status' }
      : { status: 500, message }
  }

  return { log, refusalOf }
}

export type Failures = ReturnType<typeof createFailures>
