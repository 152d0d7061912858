import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectStore } from '../../../images/object-store.ts'
import type { Clock } from '../../../lib/clock.ts'
import { openSpool } from '../spool.ts'
import { createAddressing, encodeQuery } from './address.ts'
import { createBuckets } from './buckets.ts'
import { createChanges } from './changes.ts'
import { createCommand } from './command.ts'
import { openConnections } from './connections.ts'
import { createReads } from './reads.ts'
import { createSend, type Pauses } from './send.ts'
import { createSigner, type SignedRequest } from './sign.ts'
import type { S3Times } from './times.ts'

export interface S3Options extends Partial<Pauses> {
  /** With the scheme; a path precedes every bucket. */
  readonly endpoint: string
  readonly region: string
  /** Without both keys, requests are anonymous. */
  readonly accessKeyId: string | null
  readonly secretAccessKey: string | null
  readonly sessionToken: string | null
  readonly pathStyle: boolean
  /** For uploads of unknown size. */
  readonly temporaryFolder: string
  readonly clock: Clock
  /** Read for each request. */
  readonly times: S3Times
}

/** Any S3-compatible store. Loads undici only when opened. */
export async function openS3Store(options: S3Options): Promise<ObjectStore> {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken, pathStyle, temporaryFolder, clock, times } =
    options
  const undici = await import('undici')
  const credentials =
    accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey, sessionToken }
  const connections = openConnections(undici, times, clock)
  const send = createSend(connections, times, {
    random: options.random ?? Math.random,
    sleep: options.sleep ?? ((ms, signal) => delay(ms, undefined, signal && { signal })),
  })
  const addressOf = createAddressing(endpoint, pathStyle)
  const sign = createSigner(region, credentials, clock)
  const request: SignedRequest = (lane, method, { bucket, name }, parts = {}) => {
    const address = addressOf(bucket, name)
    const query = parts.query ? encodeQuery(parts.query) : ''
    const headers = sign(method, address, query, parts.body !== undefined)
    if (parts.headers) headers.push(...parts.headers)
    const path = query === '' ? address.path : `${address.path}?${query}`
    return send(lane, { origin: address.origin, method, path, headers, body: parts.body, signal: parts.signal })
  }
  const command = createCommand(request)
  const spool = await openSpool(temporaryFolder)

  return {
    ...createReads(request, times.restMs, () => connections.isCrowded('reads')),
    ...createBuckets(command, request, region),
    ...createChanges(command, spool),
    async proveWritable() {},
    async close() {
      await connections.close()
    },
  }
}
