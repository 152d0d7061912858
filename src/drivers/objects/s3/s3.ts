import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectStore } from '../../../images/object-store.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createSpool } from '../spool.ts'
import { createAddressing } from './address.ts'
import { createBuckets } from './buckets.ts'
import { createChanges } from './changes.ts'
import { createCommand } from './command.ts'
import { openConnections } from './connections.ts'
import { createReads } from './reads.ts'
import { createRequest, type Pauses } from './request.ts'
import { createSigner } from './sign.ts'
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
  const request = createRequest({
    connections,
    addressOf: createAddressing(endpoint, pathStyle),
    sign: createSigner(region, credentials, clock),
    times,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? ((ms, signal) => delay(ms, undefined, signal && { signal })),
  })
  const command = createCommand(request)

  return {
    ...createReads(request, times.restMs, () => connections.isCrowded('reads')),
    ...createBuckets(command, request, region),
    ...createChanges(command, createSpool(temporaryFolder)),
    async proveWritable() {},
    async close() {
      await connections.close()
    },
  }
}
