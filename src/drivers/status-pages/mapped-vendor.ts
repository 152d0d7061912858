import type { Notice } from '../../status/publication.ts'
import type { HttpRequest } from './exchange.ts'
import { jsonHeaders, type Vendor } from './make-page.ts'
import { bearerToken, requiredComponents, type StatusPageOptions } from './options.ts'

interface MappedVendor {
  readonly kind: string
  readonly scheme: 'Bearer' | 'OAuth'
  readonly method: HttpRequest['method']
  /** The name is already encoded. */
  pathOf(name: string): string
  bodyOf(notice: Notice): unknown
  readonly probe: string
}

/** A JSON API with one token that has its own component names. */
export function mappedVendor(
  options: StatusPageOptions,
  { kind, scheme, method, pathOf, bodyOf, probe }: MappedVendor,
): Vendor {
  const { url } = options
  const token = bearerToken(options, `${kind} needs an API key`)
  const components = requiredComponents(options, `our name and ${kind}'s own of each component`)
  const headers = { Accept: 'application/json', Authorization: `${scheme} ${token}` }
  return {
    kind,
    repeatEveryMs: null,
    secrets: [token],
    covers: (componentId) => components.has(componentId),
    requestFor: (notice) => ({
      method,
      url: `${url}${pathOf(encodeURIComponent(components.get(notice.componentId) ?? ''))}`,
      headers: { ...jsonHeaders, ...headers },
      body: JSON.stringify(bodyOf(notice)),
    }),
    probe: { method: 'GET', url: `${url}${probe}`, headers },
  }
}
