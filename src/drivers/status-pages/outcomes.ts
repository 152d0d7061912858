import { readHttpDate } from '../../lib/http-date.ts'
import { dayMs } from '../../lib/timestamps.ts'
import type { Outcome } from '../../status/status-page.ts'
import type { Result } from './exchange.ts'

export const failed = (reason: string, retryAfterMs = 0): Outcome => ({ kind: 'failed', reason, retryAfterMs })
export const throttled = (reason: string, retryAfterMs: number): Outcome => ({
  kind: 'failed',
  reason,
  retryAfterMs,
  isThrottled: true,
})
export const uncertain = (reason: string): Outcome => ({ kind: 'uncertain', reason })

export const isSuccess = (status: number) => status >= 200 && status < 300

/** From a gateway or from Cloudflare: the server behind it may have accepted the push. */
const isFromGateway = (status: number) => status === 502 || status === 504 || (status >= 520 && status <= 524)

/** What a response means for a push, unless the vendor has its own rule. */
export function outcomeOf(result: Result, now: number): Outcome {
  if (result.kind === 'not-sent') return failed(`not sent: ${result.code}`)
  if (result.kind === 'no-response') return uncertain(`no response: ${result.code}`)
  const { status, retryAfter } = result
  if (isSuccess(status)) return { kind: 'accepted' }
  const reason = `HTTP ${status}`
  if (isFromGateway(status)) return uncertain(reason)
  if (status === 429) return throttled(reason, retryAfterMs(retryAfter, now))
  return failed(reason, status === 503 ? retryAfterMs(retryAfter, now) : 0)
}

/** Keeps a long run of digits finite; the worker never waits this long. */
const maxRetryAfterMs = dayMs

/** From seconds or an HTTP date; 0 for anything else and for the past. */
export function retryAfterMs(text: string | null, now: number): number {
  if (text === null) return 0
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : (readHttpDate(text, now) ?? now) - now
  return Math.min(Math.max(0, waitMs), maxRetryAfterMs)
}
