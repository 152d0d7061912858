import type { StatusPage } from '../../status/status-page.ts'
import type { Status } from '../../status/statuses.ts'
import { makePage } from './make-page.ts'
import { mappedVendor } from './mapped-vendor.ts'
import { badUrl, type StatusPageOptions } from './options.ts'

const words: Readonly<Record<Status, string>> = {
  operational: 'OPERATIONAL',
  degraded: 'DEGRADEDPERFORMANCE',
  partial: 'PARTIALOUTAGE',
  outage: 'MAJOROUTAGE',
  maintenance: 'UNDERMAINTENANCE',
}

/** Instatus; `url` is the page in its API. Only sets component statuses, which sends no notifications. */
export function openInstatus(options: StatusPageOptions): StatusPage {
  const vendor = mappedVendor(options, {
    kind: 'instatus',
    scheme: 'Bearer',
    method: 'PUT',
    pathOf: (name) => `/components/${name}`,
    bodyOf: ({ status }) => ({ status: words[status] }),
    probe: '/components',
  })
  if (!/\/v\d+\/[^/]+$/.test(options.url))
    throw badUrl(options, 'the page in the API, https://api.instatus.com/v2/<page id>')
  return makePage(vendor, options)
}
