import { refuse } from '../../http/refusal.ts'
import { mismatch } from '../../http/schema.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { errors as workerErrors } from '../../status/errors.ts'
import { findLeader, maxBytes, type NoLeader } from '../ask-workers.ts'
import type { StatusAct } from './acts.ts'
import { errors } from './parts.ts'

/** Less than 2 s, including the search for the leader. */
const timeoutMs = 1_400

export const writeErrors = [
  workerErrors.standingBy,
  errors.workerAway,
  errors.changesForbidden,
  errors.outcomeUnknown,
] as const

/** Sends a write to the leading worker, once: without a valid reply, it may have been done. */
export async function tellLeader(
  workers: readonly string[],
  order: StatusAct,
): Promise<{ reply: unknown; requestId: string | null }> {
  const { method, path, body, schema, refusals } = order
  const leader = await findLeader(workers).catch((error: NoLeader) =>
    refuse(error.isStandingBy ? workerErrors.standingBy : errors.workerAway),
  )
  const { exchange } = await import('../../drivers/status-pages/exchange.ts')
  const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  const request = { method, url: leader + path, wantsBody: true, maxBytes, ...(body && json) }
  const { result, abort } = exchange(request, () => {})
  const found = await withTimeout(result, timeoutMs, () => abort('ETIMEDOUT'))
  if (found.kind === 'not-sent') refuse(errors.workerAway)
  if (found.kind === 'no-response') refuse(errors.outcomeUnknown)
  const { status, requestId } = found
  const reply = found.broken === null ? parsed(found.body) : null
  if (status < 300 && mismatch(schema, reply) === null) return { reply, requestId }
  const refusal = [...refusals, workerErrors.standingBy, workerErrors.changesForbidden].find(
    (each) => each.status === status && each.message === (reply as { readonly error?: unknown } | null)?.error,
  )
  if (refusal) refuse(refusal === workerErrors.changesForbidden ? errors.changesForbidden : refusal)
  // A redirect, a foreign host or an unknown path: nothing was done.
  refuse(status >= 300 && status < 500 ? errors.workerAway : errors.outcomeUnknown)
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}
