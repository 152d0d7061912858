import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectStore } from '../../../images/object-store.ts'
import type { Clock } from '../../../lib/clock.ts'
import { sweepSpool } from '../spool.ts'
import { createAddressing } from './address.ts'
import { createBuckets } from './buckets.ts'
import { createChanges } from './changes.ts'
import { createClient } from './client.ts'
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

/** Any S3-compatible store. Loads undici and the SDK only when opened. */
export async function openS3Store(options: S3Options): Promise<ObjectStore> {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken, pathStyle, temporaryFolder, clock, times } =
    options
  const [undici, sdk] = await Promise.all([import('undici'), import('@aws-sdk/client-s3')])
  const credentials =
    accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey, sessionToken }
  const connections = openConnections(undici, times, clock)
  const send = createSend(connections, times, {
    random: options.random ?? Math.random,
    sleep: options.sleep ?? ((ms, signal) => delay(ms, undefined, signal && { signal })),
  })
  const client = createClient(sdk, send, options, credentials)
  const addressOf = createAddressing(endpoint, pathStyle)
  const sign = createSigner(region, credentials, clock)
  const request: SignedRequest = (lane, method, { bucket, name }, signal, moreHeaders = []) => {
    const address = addressOf(bucket, name)
    const headers = sign(method, address)
    headers.push(...moreHeaders)
    return send(lane, { origin: address.origin, method, path: address.path, headers, signal })
  }
  await sweepSpool(temporaryFolder)

  return {
    ...createReads(request, times.restMs, () => connections.isCrowded('reads')),
    ...createBuckets(client, request),
    ...createChanges(client, temporaryFolder),
    async proveWritable() {},
    async close() {
      client.close()
      await connections.close()
    },
  }
}
