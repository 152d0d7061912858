import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { ProbeResult, StatusPage } from './status-page.ts'

const sharedMs = 1_000

type Found = Omit<ProbeResult, 'url'> & { readonly url: string | null }

const nowhere: Found = {
  url: null,
  reached: false,
  httpStatus: null,
  durationMs: 0,
  contentType: null,
  body: null,
  error: 'not configured',
}

const late = ({ address: url }: StatusPage, waitMs: number): Found => ({
  ...nowhere,
  url,
  durationMs: waitMs,
  error: `no response within ${waitMs} ms`,
})

/** Single-flight; the result is shared for a second. Waits for it for at most `waitMs`. */
export function createProbe(page: StatusPage | null, clock: Clock): (waitMs?: number) => Promise<Found> {
  let last: { readonly at: number; readonly found: Promise<Found> } | null = null
  let underWay = false
  const probe = (page: StatusPage): Promise<Found> => {
    if (last && (underWay || clock.monotonic() - last.at < sharedMs)) return last.found
    underWay = true
    const found = page.probe().finally(() => {
      underWay = false
      last = { at: clock.monotonic(), found }
    })
    last = { at: clock.monotonic(), found }
    return found
  }
  return async (waitMs) => {
    if (page === null) return nowhere
    return waitMs === undefined ? probe(page) : withTimeout(probe(page), waitMs, () => late(page, waitMs))
  }
}

const minShownLength = 16

export const previewOf = (token: string | null): string | null =>
  token === null ? null : token.length < minShownLength ? '****' : `****${token.slice(-4)}`
