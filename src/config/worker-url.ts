import { isIPv6 } from 'node:net'
import type { Config } from './config.ts'

/** The URL of the status worker for a process on this machine. */
export function workerUrlOf({ STATUS_HOST, STATUS_PORT }: Pick<Config, 'STATUS_HOST' | 'STATUS_PORT'>): string {
  const { hostname, port } = new URL(`http://${isIPv6(STATUS_HOST) ? `[${STATUS_HOST}]` : STATUS_HOST}:${STATUS_PORT}`)
  // Wildcard addresses, as URL normalises them, are for listening only.
  const host = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname
  return `http://${host}:${port || 80}`
}
