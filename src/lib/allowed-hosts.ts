import { isIP } from 'node:net'

/** Names that only the operator can make resolve to our address. */
const ownDomain = /^[^.]+$|\.(localhost|local|internal|svc|cluster\.local)$/
const authorityPattern = /^(?:\[([0-9a-f:.]+)\]|([^\s/\\@?#:[\]]*))(?::\d*)?$/i
const absoluteTarget = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/**
 * Prevents DNS rebinding: to a browser, a page whose name resolves to our address has our origin; only the Host header
 * tells. `names` are allowed in addition. `target` is the request target, which may also contain a host.
 */
export function createAllowedHosts(names: readonly string[]): (host: string | undefined, target: string) => boolean {
  const allowed = new Set(names.map(plainName))
  const isAllowed = (authority: string): boolean => {
    const match = authorityPattern.exec(authority)
    if (match === null) return false
    const [, ipv6, name = ''] = match
    if (ipv6 !== undefined) return isIP(ipv6) === 6
    const plain = plainName(name)
    return plain === '' || isIP(plain) !== 0 || ownDomain.test(plain) || allowed.has(plain)
  }
  return (host, target) => {
    const [, authority] = target.startsWith('/') ? [] : (absoluteTarget.exec(target) ?? [])
    return (host === undefined || isAllowed(host)) && (authority === undefined || isAllowed(authority))
  }
}

export const hostsOf = (...urls: readonly (string | null)[]): string[] =>
  urls.flatMap((url) => (url === null ? [] : [new URL(url).hostname]))

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '')
