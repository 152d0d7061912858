import type { Guarded } from '../../accounts/access.ts'
import type { Journal } from '../../accounts/journal.ts'
import type { Refusal } from '../../http/refusal.ts'
import { literal, object, type Schema } from '../../http/schema.ts'

export interface AdminStatusDeps extends Guarded {
  /** STATUS_WORKER_URL */
  readonly statusWorkers: readonly string[]
  readonly records: Pick<Journal, 'done'>
}

export const errors = {
  workerAway: {
    status: 503,
    message: 'Status worker is unavailable',
    headers: { 'Retry-After': '2' },
    when: 'no status worker of this version responds within 1.5 s, or `STATUS_WORKER_URL` is not set',
  },
  outcomeUnknown: {
    status: 504,
    message: 'No valid reply from the status worker: it may have done this, check before you try again',
    when: 'it was sent, and the reply did not come within 1.4 s, or did not come from a status worker',
  },
  changesForbidden: {
    status: 503,
    message: 'Status worker does not accept changes from this instance: add its address to STATUS_ADMIN_ALLOW there',
  },
  badOpen: { status: 400, message: 'open must be one of true, false' },
  badCursor: { status: 400, message: 'cursor must be the `next` value of a previous response' },
} as const satisfies Record<string, Refusal>

/** The worker's reply in the envelope of administration. */
export function replyOf<const Status extends number>({ properties = {}, title = '' }: Schema, status: Status) {
  const { ok: _, ...own } = properties
  const name = `Admin${status === 201 ? 'New' : ''}${title}`
  return { status, schema: object({ status: literal(status), ...own }, { title: name }) }
}

export function inEnvelope(status: number, reply: unknown): object {
  const { ok: _, ...own } = reply as { readonly ok: true }
  return { status, ...own }
}
