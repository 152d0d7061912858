import { setTimeout as sleep } from 'node:timers/promises'
import type { StatusPage } from '../../status/status-page.ts'
import type { Status } from '../../status/statuses.ts'
import { defaultTimeoutMs } from './client.ts'
import { makePage, unreached } from './make-page.ts'
import { mappedVendor } from './mapped-vendor.ts'
import { badUrl, type PageOptions } from './options.ts'
import { failed, retryAfterMs } from './outcomes.ts'
import { createPace } from './pace.ts'

const words: Readonly<Record<Status, string>> = {
  operational: 'operational',
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  outage: 'major_outage',
  maintenance: 'under_maintenance',
}

/** A token is allowed 60 requests in 60 s. Others may use it too, and looks have a budget apart from pushes. */
const windowMs = 60_000
const maxPushes = 45
const maxLooks = 10

/**
 * Atlassian Statuspage; `url` is the page in its API. Only sets component statuses, since creating an incident would mail
 * the subscribers.
 */
export function openStatuspage(options: PageOptions): StatusPage {
  const { url, clock, timeoutMs = defaultTimeoutMs } = options
  const pushes = createPace({ max: maxPushes, windowMs, clock })
  const looks = createPace({ max: maxLooks, windowMs, clock })
  const maxWaitMs = timeoutMs / 5
  const closing = new AbortController()
  const vendor = mappedVendor(options, {
    kind: 'statuspage',
    scheme: 'OAuth',
    method: 'PATCH',
    pathOf: (name) => `/components/${name}`,
    bodyOf: ({ status }) => ({ component: { status: words[status] } }),
    // The list without pages may be requested once a minute only.
    look: '/components?page=1&per_page=100',
  })
  if (!/\/pages\/[^/]+$/.test(url))
    throw badUrl(options, 'the page in the API, https://api.statuspage.io/v1/pages/<page id>')
  const page = makePage(
    {
      ...vendor,
      // An older code for 429.
      judge: (result) =>
        result.kind === 'response' && result.status === 420
          ? failed('HTTP 420', retryAfterMs(result.retryAfter, clock.now()))
          : null,
    },
    { url, clock, timeoutMs: timeoutMs - maxWaitMs },
  )

  return {
    ...page,
    async push(notice) {
      const waitMs = pushes.take(maxWaitMs)
      if (waitMs > maxWaitMs) return failed('not sent: push limit of this page reached', Math.ceil(waitMs))
      if (waitMs > 0) await sleep(waitMs, null, { signal: closing.signal }).catch(() => null)
      return page.push(notice)
    },
    look: async () => (looks.take(0) > 0 ? unreached(`${page.address}/components`, 'asked too often') : page.look()),
    async close() {
      closing.abort()
      await page.close()
    },
  }
}
