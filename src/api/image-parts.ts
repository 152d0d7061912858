import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { BadSetting } from '../config/parser.ts'
import { openCatalogue } from '../drivers/catalogue/catalogue.ts'
import { makeBucketFolder, openFolderStore } from '../drivers/objects/folder/folder.ts'
import { type S3Times, s3Times } from '../drivers/objects/s3/times.ts'
import type { Catalogue } from '../images/catalogue.ts'
import { createImageCache, type ImageCache } from '../images/image-cache.ts'
import { ImageSource } from '../images/image-source.ts'
import { kinds } from '../images/kinds.ts'
import type { ObjectStore } from '../images/object-store.ts'
import { Pool } from '../images/pool.ts'
import { createProxy, type ImageProxy } from '../images/proxy.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import { fillWithSamples } from './samples.ts'

export interface ImageOverrides {
  readonly store?: (real: ObjectStore) => ObjectStore
  readonly catalogue?: (real: Catalogue) => Catalogue
  readonly random?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly storeTimes?: S3Times
}

export interface ImageParts {
  readonly store: ObjectStore
  readonly catalogue: Catalogue
  readonly cache: ImageCache
  readonly source: ImageSource
  readonly pool: Pool
  readonly proxy: ImageProxy
  readonly random: () => number
  /** Rejects if the bucket cannot be used. Creates it if the settings say so, until it was there once. */
  check(): Promise<void>
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** Fills an empty folder with samples and starts the pool, in the background. */
  start(): void
  close(): Promise<void>
}

interface Surroundings {
  readonly clock: Clock
  readonly log: Logger
  readonly overrides?: ImageOverrides
  /** Wraps the store to measure it. */
  readonly observe?: (store: ObjectStore) => ObjectStore
  /** Only the service may replace an unusable catalogue. */
  readonly mayReplace?: boolean
}

/** Puts together everything that images need; `start` begins to list the store. */
export async function openImages(
  config: Config,
  { clock, log, overrides = {}, observe = (store) => store, mayReplace = true }: Surroundings,
): Promise<ImageParts> {
  const { S3_BUCKET: bucket } = config
  const realStore = await openStore(config, { clock }, overrides.storeTimes)
  const store = observe(overrides.store?.(realStore) ?? realStore)
  try {
    const random = overrides.random ?? Math.random
    const realCatalogue = openCatalogue({
      dataDir: config.DATA_DIR,
      source: sourceOf(config),
      kinds,
      mayReplace,
      random,
    })
    const catalogue = overrides.catalogue?.(realCatalogue) ?? realCatalogue
    const cache = createImageCache(config.IMAGE_CACHE_BYTES)
    const refreshMs = config.CATALOGUE_REFRESH_SECONDS * 1000
    const source = new ImageSource({ store, bucket, cache, clock, log, freshMs: refreshMs })
    const pool = new Pool({
      store,
      bucket,
      catalogue,
      source,
      clock,
      log,
      refreshMs,
      isStoreAway: () => isAway,
    })
    const closing = new AbortController()
    let isAway = false
    let mustCreate = config.S3_ENDPOINT !== null && config.S3_CREATE_BUCKET
    let checking: Promise<void> | null = null
    const checkBucket = async () => {
      try {
        await (mustCreate ? store.createBucket(bucket) : store.check(bucket))
        mustCreate = false
        isAway = false
      } catch (error) {
        isAway = true
        throw error
      } finally {
        checking = null
      }
    }
    const check = () => {
      checking ??= checkBucket()
      return checking
    }
    let starting: Promise<void> | null = null
    const begin = async () => {
      if (config.S3_ENDPOINT === null && config.SAMPLE_IMAGES)
        await fillWithSamples({ store, bucket, log, dataDir: config.DATA_DIR, signal: closing.signal })
      if (!closing.signal.aborted) pool.start()
    }
    return {
      store,
      catalogue,
      cache,
      source,
      pool,
      proxy: createProxy({ source, log }),
      random,
      check,
      ...(overrides.sleep && { sleep: overrides.sleep }),
      start() {
        // Before the first listing, so that it finds the bucket. The probes log failures.
        const ignore = () => {}
        void check()
          .catch(ignore)
          .then(() => {
            if (!closing.signal.aborted) starting = begin()
          })
      },
      async close() {
        closing.abort()
        await starting
        await pool.close()
        await store.close()
        catalogue.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The store alone; an embedded one with its bucket. */
export async function openStore(
  config: Config,
  { clock }: Pick<Surroundings, 'clock'>,
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
    temporaryFolder: join(dataDir, 'temporary'),
    clock,
    times,
  })
}

/** With half of the credentials every request would silently be anonymous. */
function checkKeys({ S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret, S3_SESSION_TOKEN: token }: Config): void {
  if (id === null && (secret !== null || token !== null))
    throw new BadSetting('S3_ACCESS_KEY_ID: expected, since S3_SECRET_ACCESS_KEY or S3_SESSION_TOKEN is set')
  if (secret === null && id !== null)
    throw new BadSetting('S3_SECRET_ACCESS_KEY: expected, since S3_ACCESS_KEY_ID is set')
}

/** Identifies the listed store in the catalogue; version 0.1 listed other ETags of a folder. */
const sourceOf = ({ S3_ENDPOINT, S3_BUCKET }: Config) => `${S3_ENDPOINT ?? 'folder of MD5s'} ${S3_BUCKET}`
