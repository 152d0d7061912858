import type { IncomingMessage } from 'node:http'
import { bounds } from './bounds.ts'
import { protocolErrors } from './errors.ts'
import { type Refusal, Refused } from './refusal.ts'
import type { ServiceOptions } from './service.ts'

/** Judged before the limits: a refusal for these reasons closes the connection, and nothing behind it is run. */
export function refusalOfHead({ forbid }: Pick<ServiceOptions, 'forbid'>, req: IncomingMessage): Refused | null {
  const forbidden = forbid?.(req.socket.remoteAddress ?? '', req.headers, req.url ?? '') ?? null
  const wrong = forbidden === null ? wrongHead(req) : null
  return wrong === null ? forbidden : new Refused(wrong)
}

/** The refusal of a head that a server in between may have read differently; null if it is fine. */
function wrongHead({ rawHeaders, headers, httpVersion }: IncomingMessage): Refusal | null {
  if (rawHeaders.length > 2 * bounds.headLines) return protocolErrors.headTooLarge
  const isOld = httpVersion === '1.0'
  const coding = headers['transfer-encoding']
  if (!isOld && httpVersion !== '1.1') return protocolErrors.badRequest
  // HTTP/1.0 has no chunked coding (RFC 9112 §6.1), and a coding inside the chunks would reach us undecoded.
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return protocolErrors.badRequest
  const hosts = countHosts(rawHeaders)
  if (hosts !== 1 && !(hosts === 0 && isOld)) return protocolErrors.badHost
  if (notInHost.test(headers.host ?? '')) return protocolErrors.badHost
  const { expect } = headers
  return expect === undefined || isOld || expect.toLowerCase() === '100-continue' ? null : protocolErrors.expectation
}

/** What no host and port contains; a comma is how some servers pass on two Hosts (RFC 9112 §3.2). */
const notInHost = /[\s,@/\\?#"<>]/

/** Node takes the first of two Host headers; another server may take the second. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
