import { BadSetting } from '../../config/parser.ts'
import type { StatusPage } from '../../status/status-page.ts'
import { makePage } from './make-page.ts'
import { neededComponents, type PageOptions, sendable } from './options.ts'
import { isUp, repeatEveryMs, wordOf } from './two-states.ts'

interface Endpoint {
  readonly key: string
  readonly token: string
}

/** Gatus' external endpoints, each with a token of its own or all with one. */
export function openGatus(options: PageOptions): StatusPage {
  const { url } = options
  const mapping = neededComponents(
    options,
    "our name and Gatus' key of each component, group_name or group_name:token",
    (value) => value.replace(/:.*/s, ''),
  )
  const endpoints = new Map([...mapping].map(([id, value]) => [id, endpointOf(id, value, options)]))
  return makePage(
    {
      kind: 'gatus',
      repeatEveryMs,
      secrets: [...endpoints.values()].map(({ token }) => token),
      covers: (componentId) => endpoints.has(componentId),
      pushOf(notice) {
        const { key, token } = endpoints.get(notice.componentId) as Endpoint
        const query = new URLSearchParams(
          isUp(notice) ? { success: 'true' } : { success: 'false', error: wordOf(notice) },
        )
        return {
          method: 'POST',
          url: `${url}/api/v1/endpoints/${encodeURIComponent(key)}/external?${query}`,
          headers: { Authorization: `Bearer ${token}` },
        }
      },
      // Open, or behind a login that is none of the endpoints': their tokens would be shown around for nothing.
      look: { method: 'GET', url: `${url}/api/v1/endpoints/statuses`, headers: { Accept: 'application/json' } },
    },
    options,
  )
}

const keyForm = 'in small letters and with - for each blank and / _ . , # + & of the group and of the name'
const isKey = (key: string) => /^[^_/.,#+&\s]*_[^_/.,#+&\s]+$/.test(key) && key === key.toLowerCase()

function endpointOf(id: string, value: string, { token }: PageOptions): Endpoint {
  const [, key, own] = /^([^:]*)(?::(.+))?$/s.exec(value) ?? []
  const name = 'STATUS_SERVICE_COMPONENTS'
  if (key === undefined || !isKey(key))
    throw new BadSetting(`${name}: expected group_name or group_name:token for ${id}, ${keyForm}, got another value`)
  if (own !== undefined) return { key, token: sendable(own, name) }
  if (token !== null) return { key, token: sendable(token) }
  throw new BadSetting(`${name}: expected group_name:token for ${id}, since there is no STATUS_SERVICE_TOKEN`)
}
