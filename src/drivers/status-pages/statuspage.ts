import { setTimeout as sleep } from 'node:timers/promises'
import type { StatusPage } from '../../status/status-page.ts'
import type { Status } from '../../status/statuses.ts'
import { timeoutMs as usualTimeoutMs } from './client.ts'
import { jsonHeaders, makePage, unseen } from './make-page.ts'
import { badUrl, neededComponents, neededToken, type PageOptions, sendable } from './options.ts'
import { failed, retryAfterMs } from './outcomes.ts'
import { createPace } from './pace.ts'

const words: Readonly<Record<Status, string>> = {
  operational: 'operational',
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  outage: 'major_outage',
  maintenance: 'under_maintenance',
}

/**
 * A token may ask 60 times in any 60 s. A few are left for what others do with it, and looks have their own: however
 * often somebody looks, a push finds a place.
 */
const windowMs = 60_000
const mostPushes = 45
const mostLooks = 10

/**
 * Atlassian Statuspage; `url` is that of the page in the API. It sets a component's status and no more: incidents are
 * what mails subscribers.
 */
export function openStatuspage(options: PageOptions): StatusPage {
  const { url, clock, timeoutMs = usualTimeoutMs } = options
  const token = sendable(neededToken(options, 'statuspage needs an API key'))
  const components = neededComponents(options, "our name and Statuspage's id of each component")
  if (!/\/pages\/[^/]+$/.test(url)) throw badUrl('the page in the API, https://api.statuspage.io/v1/pages/<page id>')
  const auth = { Authorization: `OAuth ${token}` }
  // Of the page itself, a list that is not paged may be asked for once a minute only.
  const look = `${url}/components?page=1&per_page=100`
  const pushes = createPace({ most: mostPushes, windowMs, clock })
  const looks = createPace({ most: mostLooks, windowMs, clock })
  const patienceMs = timeoutMs / 5
  const closing = new AbortController()
  const page = makePage(
    {
      kind: 'statuspage',
      repeatEveryMs: null,
      secrets: [token],
      covers: (componentId) => components.has(componentId),
      pushOf: ({ componentId, status }) => ({
        method: 'PATCH',
        url: `${url}/components/${encodeURIComponent(components.get(componentId) ?? '')}`,
        headers: { ...jsonHeaders, ...auth },
        body: JSON.stringify({ component: { status: words[status] } }),
      }),
      // Its older word for 429.
      judge: (answer) =>
        answer.kind === 'answered' && answer.status === 420
          ? failed('answered 420', retryAfterMs(answer.retryAfter, clock.now()))
          : null,
      look: { method: 'GET', url: look, headers: { Accept: 'application/json', ...auth } },
    },
    { url, clock, timeoutMs: timeoutMs - patienceMs },
  )

  return {
    ...page,
    async push(notice) {
      const waitMs = pushes.take(patienceMs)
      if (waitMs > patienceMs) return failed('not sent: too many pushes for this page', Math.ceil(waitMs))
      if (waitMs > 0) await sleep(waitMs, null, { signal: closing.signal }).catch(() => null)
      return page.push(notice)
    },
    look: async () => (looks.take(0) > 0 ? unseen(`${page.address}/components`, 'asked too often') : page.look()),
    async close() {
      closing.abort()
      await page.close()
    },
  }
}
