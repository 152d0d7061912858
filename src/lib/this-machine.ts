import { isIP } from 'node:net'
import { parseNetworks, plainAddress } from './address.ts'

/** The part of Node's request that tells where it comes from. */
export interface SentRequest {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: { readonly host?: string | undefined }
  readonly url?: string | undefined
  readonly httpVersion: string
}

const loopback = parseNetworks('loopback')
const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
/** Proxies add these for the client that they forward. A browser sends no X- header but that of our own page. */
const forwarding =
  /^(?:x[-_](?!menagerie-console$).*|forwarded.*|via|(?:.+-)?(?:ip|addr)|cdn-loop|front-end-https|(?:akamai|cf|fastly|fly|tailscale)-.+)$/

/** Whether who listens on this address can be reached over loopback. */
export const isOnThisMachine = (address: string) => ['0.0.0.0', '::'].includes(address) || loopback.has(address)

/**
 * Whether a request was made on this machine: over loopback, by no proxy that says so, and to a name that no other page
 * can have (DNS rebinding). By default, nginx says nothing and sends the name of its upstream, such as localhost, but over
 * HTTP/1.0, which no browser speaks.
 */
export function isFromThisMachine({ socket, headers, url = '', httpVersion }: SentRequest): boolean {
  const { remoteAddress = '' } = socket
  return (
    isIP(remoteAddress) !== 0 &&
    loopback.has(plainAddress(remoteAddress)) &&
    ownHost.test(headers.host ?? '') &&
    url.startsWith('/') &&
    httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => forwarding.test(name))
  )
}
