import { BlockList, isIP, SocketAddress } from 'node:net'

/** A set of networks. */
export interface Networks {
  readonly cidrs: readonly string[]
  has(address: string): boolean
}

/** Reads comma-separated addresses and CIDRs; `loopback` stands for both loopback networks. Throws on anything else. */
export function parseNetworks(text: string): Networks {
  const list = new BlockList()
  const cidrs = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) => (part === 'loopback' ? ['127.0.0.0/8', '::1'] : [part]))
  for (const cidr of cidrs) {
    const [address = '', bits, ...rest] = cidr.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const maxPrefix = family === 'ipv6' ? 128 : 32
    const prefix = bits === undefined ? maxPrefix : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (isIP(address) === 0 || rest.length > 0 || prefix < 0 || prefix > maxPrefix)
      throw new Error(`${JSON.stringify(cidr)} is not an IP address or CIDR`)
    list.addSubnet(address, prefix, family)
  }
  return { cidrs, has: (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') }
}

/** Networks less what is excluded from them. */
export interface Allowed extends Networks {
  /** As written, `!gateway` included. */
  readonly cidrs: readonly string[]
  /** The same networks, less those that `!gateway` stands for. */
  without(gateways: readonly string[]): Networks
}

/** Like parseNetworks; `!` excludes an address, a network or the default gateway, wherever it stands in the list. */
export function parseAllowed(text: string, byDefault: string): Allowed {
  const parts = text.split(',').map((part) => part.trim())
  const exclusions = parts.filter((part) => part.startsWith('!')).map((part) => part.slice(1).trim())
  const included = parts.filter((part) => part !== '' && !part.startsWith('!'))
  const networks = parseNetworks(included.length > 0 ? included.join(',') : byDefault)
  const named = exclusions.filter((part) => part !== 'gateway')
  if (named.includes('')) throw new Error('! without an address')
  const cidrs = [...networks.cidrs, ...exclusions.map((part) => `!${part}`)]
  const without = (gateways: readonly string[]): Networks => {
    const excluded = parseNetworks([...named, ...(exclusions.includes('gateway') ? gateways : [])].join(','))
    return { cidrs, has: (address) => networks.has(address) && !excluded.has(address) }
  }
  return { ...without([]), without }
}

/** Converts IPv4-mapped IPv6 to IPv4, and strips a zone index. */
export function plainAddress(address: string): string {
  const bare = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
  const zone = bare.indexOf('%')
  return zone < 0 ? bare : bare.slice(0, zone)
}

/** The rightmost address of X-Forwarded-For that is not a trusted proxy; the socket's if no proxy is trusted. */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trusted: Networks | null,
): string {
  let address = plainAddress(socketAddress)
  if (trusted === null || forwardedFor === undefined) return address
  const entries = forwardedFor.split(',')
  for (let index = entries.length - 1; index >= 0 && trusted.has(address); index--) {
    const entry = (entries[index] ?? '').trim()
    if (isIP(entry) === 0) break
    address = plainAddress(canonical(entry))
  }
  return address
}

/** The canonical spelling of an IPv6 address, as in `remoteAddress`. */
function canonical(address: string): string {
  const [bare = ''] = address.split('%')
  return isIP(bare) === 6 ? new SocketAddress({ address: bare, family: 'ipv6' }).address : bare
}

/** The key by which a client is counted: for IPv6 the prefix, since one client has a whole network. */
export function networkOf(address: string, ipv6Prefix: number): string {
  if (!address.includes(':')) return address
  const groups = groupsOf(address)
  if (groups.every((group, index) => index > 5 || group === (index < 5 ? 0 : 0xffff))) return dotted(groups)
  const kept = groups.map((group, index) => group & maskOf(ipv6Prefix - index * 16))
  while (kept.at(-1) === 0) kept.pop()
  const text = kept.map((group) => group.toString(16)).join(':')
  return `${kept.length === 8 ? text : `${text}::`}/${ipv6Prefix}`
}

const maskOf = (bits: number) => (bits <= 0 ? 0 : bits >= 16 ? 0xffff : (0xffff << (16 - bits)) & 0xffff)

/** The eight groups of a valid address. */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%')
  const plain = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [a * 256 + +b, c * 256 + +d].map((group) => group.toString(16)).join(':'),
  )
  const [head = [], tail = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16))
}

const dotted = ([, , , , , , high = 0, low = 0]: readonly number[]) =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.')
