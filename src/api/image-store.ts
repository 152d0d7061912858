import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { BadSetting } from '../config/parser.ts'
import { makeBucketFolder, openFolderStore } from '../drivers/objects/folder/folder.ts'
import { type S3Times, s3Times } from '../drivers/objects/s3/times.ts'
import { createSpool } from '../drivers/objects/spool.ts'
import type { ObjectStore } from '../images/object-store.ts'
import type { Spool } from '../images/strip/file-bytes.ts'
import type { Clock } from '../lib/clock.ts'

/** Opens only the store, and creates the bucket of an embedded one. */
export async function openStore(
  config: Config,
  { clock }: { readonly clock: Clock },
  times: S3Times = s3Times,
): Promise<ObjectStore> {
  const { DATA_DIR: dataDir, S3_BUCKET: bucket, S3_ENDPOINT: endpoint } = config
  if (endpoint === null) {
    makeBucketFolder(dataDir, bucket)
    return openFolderStore({ dataDir })
  }
  checkKeys(config)
  const { openS3Store } = await import('../drivers/objects/s3/s3.ts')
  return openS3Store({
    endpoint,
    region: config.S3_REGION,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    sessionToken: config.S3_SESSION_TOKEN,
    pathStyle: config.S3_PATH_STYLE,
    temporaryFolder: temporaryFolder(config),
    clock,
    times,
  })
}

/** Null for an object store. */
export const bucketFolderId = ({ DATA_DIR, S3_BUCKET, S3_ENDPOINT }: Config): string | null =>
  S3_ENDPOINT === null ? makeBucketFolder(DATA_DIR, S3_BUCKET) : null

const temporaryFolder = ({ DATA_DIR }: Config) => join(DATA_DIR, 'temporary')

/** Where an upload is kept while its metadata are removed; null if they stay. */
export function createUploadSpool(config: Config): Spool | null {
  if (!config.UPLOAD_STRIP_METADATA) return null
  const spool = createSpool(temporaryFolder(config))
  return (chunks) => spool(chunks, true)
}

/** With only one of the two keys, every request would silently become anonymous. */
export function checkKeys({
  S3_ACCESS_KEY_ID: id,
  S3_SECRET_ACCESS_KEY: secret,
  S3_SESSION_TOKEN: token,
}: Config): void {
  if (id === null && (secret !== null || token !== null))
    throw new BadSetting('S3_ACCESS_KEY_ID: expected, since S3_SECRET_ACCESS_KEY or S3_SESSION_TOKEN is set')
  if (secret === null && id !== null)
    throw new BadSetting('S3_SECRET_ACCESS_KEY: expected, since S3_ACCESS_KEY_ID is set')
}

/** Identifies the listed store in the catalogue. Version 0.1 listed other ETags for a folder. */
export const sourceOf = ({ S3_ENDPOINT, S3_BUCKET }: Config) => `${S3_ENDPOINT ?? 'folder of MD5s'} ${S3_BUCKET}`

/** Single-flight. If allowed, creates a missing bucket, until the bucket has been seen once. */
export function createBucketProbe(store: ObjectStore, bucket: string, mayCreate: boolean) {
  let checking: Promise<void> | null = null
  let hasFailed = false
  let mustCreate = mayCreate
  const checkOnce = async () => {
    try {
      await (mustCreate ? store.createBucket(bucket) : store.check(bucket))
      mustCreate = false
      hasFailed = false
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      checking = null
    }
  }
  return {
    check: () => {
      checking ??= checkOnce()
      return checking
    },
    hasFailed: () => hasFailed,
  }
}
