import { createSlidingWindow } from '../../lib/sliding-window.ts'
import type { StatusPage } from '../../status/status-page.ts'
import type { Status } from '../../status/statuses.ts'
import { makePage, unreached } from './make-page.ts'
import { mappedVendor } from './mapped-vendor.ts'
import { badUrl, type StatusPageOptions } from './options.ts'
import { failed, retryAfterMs, throttled } from './outcomes.ts'

const words: Readonly<Record<Status, string>> = {
  operational: 'operational',
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  outage: 'major_outage',
  maintenance: 'under_maintenance',
}

/** A token is allowed 60 requests in 60 s. Others may use it too, and probes have a budget apart from pushes. */
const windowMs = 60_000
const pushes = { max: 45, windowMs, reserved: 9 }
const probes = { max: 10, windowMs }

/**
 * Atlassian Statuspage; `url` is the page in its API. Only sets component statuses, since creating an incident would
 * mail the subscribers.
 */
export function openStatuspage(options: StatusPageOptions): StatusPage {
  const { url, clock } = options
  const slots = createSlidingWindow(probes, clock)
  const vendor = mappedVendor(options, {
    kind: 'statuspage',
    scheme: 'OAuth',
    method: 'PATCH',
    pathOf: (name) => `/components/${name}`,
    bodyOf: ({ status }) => ({ component: { status: words[status] } }),
    // The unpaged list may be requested only once a minute.
    probe: '/components?page=1&per_page=100',
  })
  if (!/\/pages\/[^/]+$/.test(url))
    throw badUrl(options, 'the page in the API, https://api.statuspage.io/v1/pages/<page id>')
  const page = makePage(
    {
      ...vendor,
      budget: pushes,
      // An older code for 429.
      judge: (result) =>
        result.kind === 'response' && result.status === 420
          ? throttled('HTTP 420', retryAfterMs(result.retryAfter, clock.now()))
          : null,
    },
    options,
  )
  const askedTooOften = unreached(`${page.address}/components`, 'asked too often')
  return {
    ...page,
    probe: async () => (slots.take() ? page.probe() : askedTooOften),
    test: async () =>
      slots.take() ? page.test() : { probe: askedTooOften, outcome: failed('not sent: asked too often') },
  }
}
