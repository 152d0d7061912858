import { refusedFor } from '../http/refusal.ts'
import type { ServiceOptions } from '../http/service.ts'
import { type Networks, plainAddress } from '../lib/address.ts'
import type { Logger } from '../process/logger.ts'
import { errors } from '../status/errors.ts'

type Forbid = NonNullable<ServiceOptions['forbid']>

/** Checks address, Origin and Host; the response is the same for all three, and the log says which it was. */
export function createForbid(
  allowed: Networks,
  isAllowedHost: (host: string | undefined, target: string) => boolean,
): Forbid {
  const forbid = (detail: string) => refusedFor(errors.forbidden, detail)
  return (socketAddress, headers, target) => {
    const address = plainAddress(socketAddress)
    if (!allowed.has(address)) return forbid(`address: ${address} is not in STATUS_ALLOW`)
    const page = pageOf(headers)
    if (page !== null) return forbid(`${page}: a web page may not call the status worker; send requests without it`)
    if (isAllowedHost(headers.host, target)) return null
    const names = [headers.host ?? [], target.startsWith('/') ? [] : target].flat().map(shown).join(' or ')
    return forbid(`Host: ${names} is not allowed; add the name to ALLOWED_HOSTS`)
  }
}

/** Logs the first heartbeat that comes from a gateway: in a container, that may be anybody. */
export function createGatewayLog(gateways: readonly string[], log: Pick<Logger, 'warn'>) {
  const unseen = new Set(gateways)
  return (address: string): void => {
    if (unseen.size === 0 || !unseen.delete(address)) return
    log.warn(
      { address },
      'a heartbeat came from the default gateway, which stands for everybody behind a published port; STATUS_ALLOW=!gateway excludes it',
    )
  }
}

/** A web page open on an allowed machine does not speak for it. Not every cross-site request has an Origin. */
function pageOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  if (headers.origin !== undefined) return `Origin ${shown(headers.origin)}`
  const site = String(headers['sec-fetch-site'])
  return /^(cross|same)-site$/.test(site) ? `Sec-Fetch-Site ${site}` : null
}

const shown = (value: unknown) => JSON.stringify(String(value).slice(0, 100))
