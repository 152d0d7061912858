import { isIPv6 } from 'node:net'
import type { Config } from './config.ts'

/** Where a process on this machine reaches the status worker. */
export function workerUrlOf({ STATUS_HOST, STATUS_PORT }: Pick<Config, 'STATUS_HOST' | 'STATUS_PORT'>): string {
  const { hostname, port } = new URL(`http://${isIPv6(STATUS_HOST) ? `[${STATUS_HOST}]` : STATUS_HOST}:${STATUS_PORT}`)
  // Every address is one to listen on, not one to connect to. The parser knows them in any spelling.
  const host = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname
  return `http://${host}:${port || 80}`
}
