import type { StatusPage } from '../../status/status-page.ts'
import type { Status } from '../../status/statuses.ts'
import { makePage } from './make-page.ts'
import { mappedVendor } from './mapped-vendor.ts'
import { badUrl, type StatusPageOptions } from './options.ts'

/** Kener shows maintenance only where it was scheduled there. */
const words: Readonly<Record<Status, string>> = {
  operational: 'UP',
  degraded: 'DEGRADED',
  partial: 'DEGRADED',
  outage: 'DOWN',
  maintenance: 'UP',
}

/**
 * Each minute, Kener copies the last data point, even over one that it has accepted meanwhile, and its own maintenance
 * ends in the monitor's default status. Not a whole minute, so that repetitions do not always coincide with the
 * copying.
 */
const repeatEveryMs = 50_000

/** Kener 4: a data point for the current minute, which a monitor of type NONE keeps as its last known status. */
export function openKener(options: StatusPageOptions): StatusPage {
  const { url, clock } = options
  const vendor = mappedVendor(options, {
    kind: 'kener',
    scheme: 'Bearer',
    method: 'PATCH',
    pathOf: (tag) => `/api/v4/monitors/${tag}/data/${Math.floor(clock.now() / 1000)}`,
    bodyOf: ({ status }) => ({ status: words[status], latency: 0 }),
    probe: '/api/v4/monitors',
  })
  if (/\/api(\/|$)/.test(url)) throw badUrl(options, "Kener's address without /api")
  return makePage({ ...vendor, repeatEveryMs, keepsStatus: true }, options)
}
