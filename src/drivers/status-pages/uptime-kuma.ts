import { BadSetting } from '../../config/parser.ts'
import type { Outcome, StatusPage } from '../../status/status-page.ts'
import type { Answer } from './exchange.ts'
import { makePage } from './make-page.ts'
import { badUrl, neededComponents, type PageOptions } from './options.ts'
import { failed, isSuccess, uncertain } from './outcomes.ts'
import { isUp, repeatEveryMs, wordOf } from './two-states.ts'

/** Uptime Kuma's push monitors. The secret is the path: the address of a push is shown nowhere. */
export function openUptimeKuma(options: PageOptions): StatusPage {
  const { url, token } = options
  const components = neededComponents(options, 'our name and the push token of each component')
  if (/\/api\/push(?:\/|$)/i.test(url)) throw badUrl('the address of Uptime Kuma alone, without /api/push')
  for (const [id, value] of components)
    if (/[/?]/.test(value))
      throw new BadSetting(`STATUS_SERVICE_COMPONENTS: expected the push token alone for ${id}, got an address`)
  return makePage(
    {
      kind: 'uptime-kuma',
      repeatEveryMs,
      secrets: [...components.values(), ...(token === null ? [] : [token])],
      covers: (componentId) => components.has(componentId),
      pushOf(notice) {
        const query = new URLSearchParams({ status: isUp(notice) ? 'up' : 'down', msg: wordOf(notice) })
        const push = encodeURIComponent(components.get(notice.componentId) ?? '')
        // Version 1 takes GET alone.
        return { method: 'GET', url: `${url}/api/push/${push}?${query}`, wantsBody: true }
      },
      judge,
      look: { method: 'GET', url: `${url}/api/entry-page`, headers: { Accept: 'application/json' } },
    },
    options,
  )
}

/** It answers its own page with 200 at every address it does not know, so success is only what says so. */
function judge(answer: Answer): Outcome | null {
  if (answer.kind !== 'answered' || !isSuccess(answer.status)) return null
  if (saysOk(answer.body.toString())) return { kind: 'accepted' }
  const reason = `answered ${answer.status} without ok`
  return answer.broken === null ? failed(reason) : uncertain(reason)
}

function saysOk(text: string): boolean {
  try {
    return JSON.parse(text)?.ok === true
  } catch {
    return false
  }
}
