import type { Notice } from '../../status/component.ts'
import type { Look, Outcome, StatusPage } from '../../status/status-page.ts'
import { openClient } from './client.ts'
import { type Answer, cut, type HttpRequest } from './exchange.ts'
import type { PageOptions } from './options.ts'
import { failed, outcomeOf } from './outcomes.ts'
import { createRedact, shownUrl } from './redact.ts'

/** What differs between vendors. */
export interface Vendor {
  readonly kind: string
  readonly repeatEveryMs: number | null
  readonly secrets: readonly string[]
  covers(componentId: string): boolean
  pushOf(notice: Notice): HttpRequest
  /** Null if the general rule decides. */
  judge?(answer: Answer): Outcome | null
  /** For /diag: changes nothing. */
  readonly look: HttpRequest
}

type Base = Pick<PageOptions, 'url' | 'clock' | 'timeoutMs'>

export function makePage(vendor: Vendor, { url: base, clock, timeoutMs }: Base): StatusPage {
  const client = openClient(timeoutMs)
  const redact = createRedact(vendor.secrets)
  const url = redact(shownUrl(vendor.look.url)) ?? new URL(base).origin

  return {
    kind: vendor.kind,
    address: redact(base.replace(/\?.*/s, '')) ?? new URL(base).origin,
    repeatEveryMs: vendor.repeatEveryMs,
    covers: (componentId) => vendor.covers(componentId),
    async push(notice) {
      if (!vendor.covers(notice.componentId)) return failed('not sent: the page does not have the component')
      const answer = await client.ask(vendor.pushOf(notice))
      return vendor.judge?.(answer) ?? outcomeOf(answer, clock.now())
    },
    async look() {
      const start = clock.monotonic()
      const answer = await client.ask({ ...vendor.look, wantsBody: true })
      const durationMs = Math.round(clock.monotonic() - start)
      if (answer.kind !== 'answered') return { ...unseen(url, answer.code), durationMs }
      const { status: httpStatus, contentType, broken } = answer
      const body = redact(textOf(answer.body))?.slice(0, maxShown) ?? null
      const error = body === null ? withheld : broken === cut ? null : broken
      return {
        url,
        reached: true,
        httpStatus,
        durationMs,
        contentType: contentType && redact(contentType),
        body,
        error,
      }
    },
    close: () => client.close(),
  }
}

export const unseen = (url: string, error: string): Look => ({
  url,
  reached: false,
  httpStatus: null,
  durationMs: 0,
  contentType: null,
  body: null,
  error,
})

const withheld = 'body withheld: it contains part of the token'

/** A mask may be longer than what it hides. */
const maxShown = 64 * 1024

/** Drops a character that was cut at the end. */
const textOf = (bytes: Buffer) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })

export const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json' } as const
