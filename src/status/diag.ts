import type { Clock } from '../lib/clock.ts'
import type { Look, StatusPage } from './status-page.ts'

const sharedMs = 1_000

type Found = Omit<Look, 'url'> & { readonly url: string | null }

const nowhere: Found = {
  url: null,
  reached: false,
  httpStatus: null,
  durationMs: 0,
  contentType: null,
  body: null,
  error: 'not configured',
}

/** Single-flight, and the result is shared for a second. */
export function createLook(page: StatusPage | null, clock: Clock): () => Promise<Found> {
  let last: { readonly at: number; readonly found: Promise<Found> } | null = null
  let underWay = false
  return () => {
    if (last && (underWay || clock.monotonic() - last.at < sharedMs)) return last.found
    if (page === null) return Promise.resolve(nowhere)
    underWay = true
    const found = page.look().finally(() => {
      underWay = false
      last = { at: clock.monotonic(), found }
    })
    last = { at: clock.monotonic(), found }
    return found
  }
}

const minShownLength = 16

export const previewOf = (token: string | null): string | null =>
  token === null ? null : token.length < minShownLength ? '****' : `****${token.slice(-4)}`
