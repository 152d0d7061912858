import type { Notice } from '../../status/component.ts'
import type { Look, Outcome, StatusPage } from '../../status/status-page.ts'
import { openClient } from './client.ts'
import { type Answer, cut, type HttpRequest } from './exchange.ts'
import type { PageOptions } from './options.ts'
import { failed, outcomeOf } from './outcomes.ts'
import { createRedact, shownUrl } from './redact.ts'

/** What is a vendor's own; all else about a page is the same for each. */
export interface Vendor {
  readonly kind: string
  readonly repeatEveryMs: number | null
  /** All that must never be shown. */
  readonly secrets: readonly string[]
  covers(componentId: string): boolean
  pushOf(notice: Notice): HttpRequest
  /** Null where this answer means what it means everywhere. */
  judge?(answer: Answer): Outcome | null
  /** Harmless, and says something about the page. */
  readonly look: HttpRequest
}

type Base = Pick<PageOptions, 'url' | 'clock' | 'timeoutMs'>

export function makePage(vendor: Vendor, { url: base, clock, timeoutMs }: Base): StatusPage {
  const client = openClient(timeoutMs)
  const redact = createRedact(vendor.secrets)
  const url = redact(shownUrl(vendor.look.url))

  return {
    kind: vendor.kind,
    address: redact(base.replace(/\?.*/s, '')),
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
      const { status, contentType, body, broken } = answer
      return {
        url,
        reached: true,
        httpStatus: status,
        durationMs,
        contentType: contentType && redact(contentType),
        body: redact(textOf(body), broken === null).slice(0, mostShown),
        error: broken === cut ? null : broken,
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

/** The mask may be longer than what it hides. */
const mostShown = 64 * 1024

/** A sign that was cut at the end is left out. */
const textOf = (bytes: Buffer) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })

export const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json' } as const
