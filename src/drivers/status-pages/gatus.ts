import type { StatusPage } from '../../status/status-page.ts'
import { isDown } from '../../status/statuses.ts'
import { makePage } from './make-page.ts'
import { badComponents, requiredComponents, type StatusPageOptions, visibleAscii } from './options.ts'
import { repeatEveryMs, wordFor } from './two-states.ts'

interface Endpoint {
  readonly key: string
  readonly token: string
}

/** Gatus' external endpoints, each with its own token or all sharing one. */
export function openGatus(options: StatusPageOptions): StatusPage {
  const { url } = options
  const mapping = requiredComponents(
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
      requestFor(notice) {
        const { key, token } = endpoints.get(notice.componentId) as Endpoint
        const query = new URLSearchParams(
          isDown(notice.status) ? { success: 'false', error: wordFor(notice) } : { success: 'true' },
        )
        return {
          method: 'POST',
          url: `${url}/api/v1/endpoints/${encodeURIComponent(key)}/external?${query}`,
          headers: { Authorization: `Bearer ${token}` },
        }
      },
      // Without a token: this route does not accept those of endpoints.
      probe: { method: 'GET', url: `${url}/api/v1/endpoints/statuses`, headers: { Accept: 'application/json' } },
    },
    options,
  )
}

const keyForm = 'in lower case, with - for each blank and / _ . , # + & of the group and of the name'
const isKey = (key: string) => /^[^_/.,#+&\s]*_[^_/.,#+&\s]+$/.test(key) && key === key.toLowerCase()

function endpointOf(id: string, value: string, options: StatusPageOptions): Endpoint {
  const [, key, own] = /^([^:]*)(?::(.+))?$/s.exec(value) ?? []
  const { prefix, token } = options
  if (key === undefined || !isKey(key))
    throw badComponents(options, `group_name or group_name:token for ${id}, ${keyForm}, got an invalid value`)
  if (own !== undefined) return { key, token: visibleAscii(own, `${prefix}_COMPONENTS`) }
  if (token !== null) return { key, token: visibleAscii(token, `${prefix}_TOKEN`) }
  throw badComponents(options, `group_name:token for ${id}, since ${prefix}_TOKEN is unset`)
}
