import type { Notice } from './publication.ts'
import type { Budget } from './push-queue.ts'

export type Outcome =
  /** Has a reason if only some of its recipients will get it. */
  | { readonly kind: 'accepted'; readonly reason?: string }
  /** Not accepted: refused, or never sent. `retryAfterMs` is 0 without a Retry-After. */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly retryAfterMs: number
      /** Too many requests: the others to this target wait too. False if unset. */
      readonly isThrottled?: boolean
    }
  /** Sent and possibly accepted: there was no response, or one from a gateway. */
  | { readonly kind: 'uncertain'; readonly reason: string }

/** The result of a live request to the page, for /diag. Never contains the token. */
export interface ProbeResult {
  readonly url: string
  readonly reached: boolean
  readonly httpStatus: number | null
  readonly durationMs: number
  readonly contentType: string | null
  readonly body: string | null
  readonly error: string | null
}

/** A test message to an alert channel or webhook, or the harmless request of `probe` to another page. */
export interface Tested {
  readonly probe: ProbeResult
  readonly outcome: Outcome
}

/** A status page or an alert channel. Each vendor's file in drivers/status-pages creates one. */
export interface StatusPage {
  readonly kind: string
  /** The base address, without secrets. */
  readonly address: string
  /** Whether the page has the component. */
  covers(componentId: string): boolean
  /**
   * Settles within 5 s, follows no redirects, reads no more of a response than it needs, and never throws. A status page
   * gets one notice at a time; those to an alert channel are one message, of different components.
   */
  push(notice: Notice, ...others: readonly Notice[]): Promise<Outcome>
  /** How often to repeat the published status, for a page that takes silence for an outage; null: never. */
  readonly repeatEveryMs: number | null
  /** The page keeps a status until the next one, so that of a silent component is repeated too. False if unset. */
  readonly keepsStatus?: boolean
  /** Gets only outages and recoveries; repetitions are reminders of an outage. */
  readonly isAlert: boolean
  /** Its messages may have links that acknowledge. False if unset. */
  readonly takesLinks?: boolean
  /** Null if the page has no limit. */
  readonly budget: Budget | null
  probe(): Promise<ProbeResult>
  test(): Promise<Tested>
  close(): Promise<void>
}
