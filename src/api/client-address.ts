import type { Call } from '../http/call.ts'
import { clientAddress, type Networks, plainAddress } from '../lib/address.ts'
import type { Logger } from '../process/logger.ts'

const maxWarnings = 10

/** The client of a request, by its connection and what trusted proxies say. Warns once per untrusted proxy. */
export function createAddressOf(trusted: Networks | null, log: Pick<Logger, 'warn'>) {
  const warned = new Set<string>()
  return ({ socket, headers }: Call['req']): string => {
    const { remoteAddress = '' } = socket
    const forwarded = headers['x-forwarded-for'] as string | undefined
    const address = clientAddress(remoteAddress, forwarded, trusted)
    if (forwarded === undefined || warned.size === maxWarnings) return address
    const proxy = plainAddress(remoteAddress)
    if (address === proxy && !warned.has(proxy) && !trusted?.has(proxy)) {
      warned.add(proxy)
      log.warn(
        { proxy },
        `ignoring X-Forwarded-For from ${proxy}: if that is your proxy, add it to TRUST_PROXY, or all of its visitors share one address and its rate limits`,
      )
    }
    return address
  }
}
