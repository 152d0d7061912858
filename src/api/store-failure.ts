import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { NoSuchBucket } from '../images/object-store.ts'
import { messageOf, remedyOfConnection } from '../lib/failure.ts'

/** Why the object store failed and what to check, as one line; null if the settings cannot be the cause. */
export function whyStoreFails({ S3_ENDPOINT, S3_BUCKET, DATA_DIR }: Config, error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { name, message, cause } = error
  const where = S3_ENDPOINT ?? join(DATA_DIR, 'objects')
  if (error instanceof NoSuchBucket)
    return `S3_BUCKET: no bucket ${JSON.stringify(S3_BUCKET)} in ${where}; create it, or choose another.`
  if (S3_ENDPOINT === null) return null
  const reason = cause instanceof Error ? `${message}: ${messageOf(cause)}` : message
  const running = `check that it is running at ${where}`
  if (name === 'Unavailable') return `S3_ENDPOINT: ${reason}; ${remedyOfConnection(reason, running)}.`
  if (message.startsWith('The object store'))
    return `S3_ENDPOINT: ${reason}; check ${where}, S3_BUCKET, S3_REGION, the keys and the clock of this machine.`
  return null
}
