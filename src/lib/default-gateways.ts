import { readFileSync } from 'node:fs'

/** The flag of a route over a gateway (RTF_GATEWAY). */
const throughGateway = 2

/** The IPv4 gateways of the default routes, by Linux; none elsewhere. */
export function defaultGateways(path = '/proc/net/route'): string[] {
  let table: string
  try {
    table = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  const routes = table.split('\n').map((line) => line.trim().split(/\s+/))
  return routes
    .filter(([, destination, , flags = '', , , , mask]) => {
      const isDefault = destination === '00000000' && mask === '00000000'
      return isDefault && (Number.parseInt(flags, 16) & throughGateway) !== 0
    })
    .map(([, , gateway = '']) => addressOf(gateway))
}

/** In the order of bytes of the machine, which is little-endian wherever Node runs. */
const addressOf = (hex: string) => [...Buffer.from(hex, 'hex')].reverse().join('.')
