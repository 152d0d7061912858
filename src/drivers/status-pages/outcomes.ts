import type { Outcome } from '../../status/status-page.ts'
import type { Answer } from './exchange.ts'

export const failed = (reason: string, retryAfterMs = 0): Outcome => ({ kind: 'failed', reason, retryAfterMs })
export const uncertain = (reason: string): Outcome => ({ kind: 'uncertain', reason })

export const isSuccess = (status: number) => status >= 200 && status < 300

/** From a gateway that waited in vain: what is behind it may have taken the push. */
const isOfGateway = (status: number) => status === 502 || status === 504
/** 420 is Statuspage's older word for 429. */
const limits = (status: number) => status === 429 || status === 420 || status === 503

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

/** Seconds, or a date of HTTP in the one form that is still sent; 0 for all else, and for what is past. */
export function retryAfterMs(text: string | null, now: number): number {
  if (text === null) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
  const at = isDate ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}
