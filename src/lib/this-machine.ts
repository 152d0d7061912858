import { isIP } from 'node:net'
import { parseNetworks, plainAddress } from './address.ts'

/** The part of Node's request that tells where it comes from. */
export interface SentRequest {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: { readonly host?: string | undefined }
  readonly url?: string | undefined
}

const loopback = parseNetworks('loopback')
const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
/** Proxies add these for the client that they forward. */
const forwarding =
  /^(?:x-forwarded(?:-.+)?|forwarded|via|(?:x-)?(?:real|client|true-client|cluster-client|original)-ip|x-original-.+|cf-.+|fastly-.+|x-envoy-.+)$/

/** Whether who listens on this address can be reached over loopback. */
export const isOnThisMachine = (address: string) => ['0.0.0.0', '::'].includes(address) || loopback.has(address)

/**
 * Whether a request was made on this machine: over loopback, by no proxy that says so, and to a name that no other page
 * can have (DNS rebinding).
 */
export function isFromThisMachine({ socket: { remoteAddress = '' }, headers, url = '' }: SentRequest): boolean {
  return (
    isIP(remoteAddress) !== 0 &&
    loopback.has(plainAddress(remoteAddress)) &&
    ownHost.test(headers.host ?? '') &&
    url.startsWith('/') &&
    !Object.keys(headers).some((name) => forwarding.test(name))
  )
}
