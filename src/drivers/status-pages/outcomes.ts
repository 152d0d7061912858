import { readHttpDate } from '../../lib/http-date.ts'
import type { Outcome } from '../../status/status-page.ts'
import type { Answer } from './exchange.ts'

export const failed = (reason: string, retryAfterMs = 0): Outcome => ({ kind: 'failed', reason, retryAfterMs })
export const uncertain = (reason: string): Outcome => ({ kind: 'uncertain', reason })

export const isSuccess = (status: number) => status >= 200 && status < 300

/** From a gateway that waited in vain, or Cloudflare's words for that: what is behind it may have taken the push. */
const isOfGateway = (status: number) => status === 502 || status === 504 || (status >= 520 && status <= 524)
const limits = (status: number) => status === 429 || status === 503

/** What a page's answer says about a push, where the vendor has no rule of its own. */
export function outcomeOf(answer: Answer, now: number): Outcome {
  if (answer.kind === 'unsent') return failed(`not sent: ${answer.code}`)
  if (answer.kind === 'unanswered') return uncertain(`no answer: ${answer.code}`)
  const { status, retryAfter } = answer
  if (isSuccess(status)) return { kind: 'accepted' }
  const reason = `answered ${status}`
  if (isOfGateway(status)) return uncertain(reason)
  return failed(reason, limits(status) ? retryAfterMs(retryAfter, now) : 0)
}

/** Not how long is waited: a long row of digits is no finite number, and what an outcome tells is one. */
const mostRetryAfterMs = 86_400_000

/** Seconds, or a date of HTTP, up to a day; 0 for all else, and for what is past. */
export function retryAfterMs(text: string | null, now: number): number {
  if (text === null) return 0
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : (readHttpDate(text, now) ?? now) - now
  return Math.min(Math.max(0, waitMs), mostRetryAfterMs)
}
