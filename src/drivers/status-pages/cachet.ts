import type { StatusPage } from '../../status/status-page.ts'
import type { Status } from '../../status/statuses.ts'
import { makePage } from './make-page.ts'
import { mappedVendor } from './mapped-vendor.ts'
import { badComponents, badUrl, type StatusPageOptions } from './options.ts'

/** 5 is Cachet's unknown. */
const numbers: Readonly<Record<Status, number>> = { operational: 1, degraded: 2, partial: 3, outage: 4, maintenance: 6 }

/** Cachet 3, which by default allows 300 requests a minute. The token needs the ability `components.manage`. */
export function openCachet(options: StatusPageOptions): StatusPage {
  const vendor = mappedVendor(options, {
    kind: 'cachet',
    scheme: 'Bearer',
    method: 'PUT',
    pathOf: (name) => `/api/components/${name}`,
    bodyOf: ({ status }) => ({ status: numbers[status] }),
    probe: '/api/components',
  })
  if (/\/api(\/|$)/.test(options.url)) throw badUrl(options, "Cachet's address without /api")
  for (const [id, value] of options.components ?? [])
    if (!/^[1-9]\d*$/.test(value))
      throw badComponents(options, `the number of a component for ${id}, got another value`)
  return makePage({ ...vendor, budget: { max: 240, windowMs: 60_000, reserved: 40 } }, options)
}
