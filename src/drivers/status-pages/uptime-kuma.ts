import type { Outcome, StatusPage } from '../../status/status-page.ts'
import { isDown } from '../../status/statuses.ts'
import type { Result } from './exchange.ts'
import { makePage } from './make-page.ts'
import { badComponents, badUrl, requiredComponents, type StatusPageOptions } from './options.ts'
import { failed, isSuccess, uncertain } from './outcomes.ts'
import { repeatEveryMs, wordFor } from './two-states.ts'

/** Uptime Kuma's push monitors. The secret is in the path, so the URL of a push is never shown. */
export function openUptimeKuma(options: StatusPageOptions): StatusPage {
  const { url, token } = options
  const components = requiredComponents(options, 'our name and the push token of each component')
  if (/\/api\/push(?:\/|$)/i.test(url)) throw badUrl(options, "Uptime Kuma's address without /api/push")
  for (const [id, value] of components)
    if (/[/?]/.test(value)) throw badComponents(options, `only the push token for ${id}, got a URL`)
  return makePage(
    {
      kind: 'uptime-kuma',
      repeatEveryMs,
      secrets: [...components.values(), ...(token === null ? [] : [token])],
      covers: (componentId) => components.has(componentId),
      requestFor(notice) {
        const query = new URLSearchParams({ status: isDown(notice.status) ? 'down' : 'up', msg: wordFor(notice) })
        const push = encodeURIComponent(components.get(notice.componentId) ?? '')
        // Version 1 accepts only GET.
        return { method: 'GET', url: `${url}/api/push/${push}?${query}`, wantsBody: true }
      },
      judge,
      probe: { method: 'GET', url: `${url}/api/entry-page`, headers: { Accept: 'application/json' } },
    },
    options,
  )
}

/** Uptime Kuma responds to unknown paths with 200 and its own page, so only a body that says ok counts. */
function judge(result: Result): Outcome | null {
  if (result.kind !== 'response' || !isSuccess(result.status)) return null
  if (saysOk(result.body.toString())) return { kind: 'accepted' }
  const reason = `HTTP ${result.status} without ok`
  return result.broken === null ? failed(reason) : uncertain(reason)
}

function saysOk(text: string): boolean {
  try {
    return JSON.parse(text)?.ok === true
  } catch {
    return false
  }
}
