import type { Notice } from '../../status/publication.ts'
import type { Budget } from '../../status/push-queue.ts'
import type { Outcome, ProbeResult, StatusPage, Tested } from '../../status/status-page.ts'
import { openClient } from './client.ts'
import { type HttpRequest, type Result, truncated } from './exchange.ts'
import type { StatusPageOptions } from './options.ts'
import { failed, outcomeOf } from './outcomes.ts'
import { createRedact, shownUrl } from './redact.ts'

interface Declared {
  readonly kind: string
  /** False if unset. */
  readonly isAlert?: boolean
  readonly repeatEveryMs: number | null
  /** False if unset. */
  readonly keepsStatus?: boolean
  /** False if unset. */
  readonly takesLinks?: boolean
  /** Unlimited if unset. */
  readonly budget?: Budget
  covers(componentId: string): boolean
}

/** What differs between vendors, which vendors.ts lists. */
export interface Vendor extends Declared {
  readonly secrets: readonly string[]
  /** Only an alert channel gets several notices. */
  requestFor(notice: Notice, ...others: readonly Notice[]): HttpRequest
  /** Null if the general rule decides. */
  judge?(result: Result): Outcome | null
  /** For /diag. Must not change anything. */
  readonly probe: HttpRequest
  /** For a test; `probe` if unset. */
  test?(): HttpRequest
}

type Base = Pick<StatusPageOptions, 'url' | 'clock' | 'timeoutMs'>

export function makePage(vendor: Vendor, { url: base, clock, timeoutMs }: Base): StatusPage {
  const client = openClient(timeoutMs)
  const redact = createRedact(vendor.secrets)
  const url = redact(shownUrl(vendor.probe.url)) ?? new URL(base).origin

  async function testWith(request: HttpRequest): Promise<Tested> {
    const start = clock.monotonic()
    const result = await client.send({ ...request, wantsBody: true })
    const durationMs = Math.round(clock.monotonic() - start)
    return { probe: { ...shownOf(result), durationMs }, outcome: outcomeOf(result, clock.now()) }
  }

  function shownOf(result: Result): ProbeResult {
    if (result.kind !== 'response') return unreached(url, result.code)
    const { status: httpStatus, contentType, broken } = result
    const body = redact(textOf(result.body))?.slice(0, maxShown) ?? null
    const error = body === null ? withheld : broken === truncated ? null : broken
    return {
      url,
      reached: true,
      httpStatus,
      durationMs: 0,
      body,
      error,
      contentType: contentType && redact(contentType),
    }
  }

  return pageOf(vendor, {
    address: redact(base.replace(/\?.*/s, '')) ?? new URL(base).origin,
    async push(...notices) {
      const result = await client.send(vendor.requestFor(...notices))
      return vendor.judge?.(result) ?? outcomeOf(result, clock.now())
    },
    probe: async () => (await testWith(vendor.probe)).probe,
    test: () => testWith(vendor.test?.() ?? vendor.probe),
    close: client.close,
  })
}

/** `push` gets only notices of components that the page covers. */
export const pageOf = (
  { kind, isAlert = false, repeatEveryMs, keepsStatus = false, takesLinks = false, budget, covers }: Declared,
  { push, ...others }: Pick<StatusPage, 'address' | 'push' | 'probe' | 'test' | 'close'>,
): StatusPage => ({
  ...{ kind, isAlert, repeatEveryMs, keepsStatus, takesLinks, budget: budget ?? null, covers },
  ...others,
  push: async (...notices) =>
    notices.every(({ componentId }) => covers(componentId))
      ? push(...notices)
      : failed('not sent: the page does not have the component'),
})

export const unreached = (url: string, error: string): ProbeResult => ({
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

/** Drops a truncated character at the end. */
const textOf = (bytes: Buffer) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })

export const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json' } as const
