import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { BadSetting } from '../config/parser.ts'
import { openCatalogue } from '../drivers/catalogue/catalogue.ts'
import { makeBucketFolder, openFolderStore } from '../drivers/objects/folder/folder.ts'
import { type S3Times, s3Times } from '../drivers/objects/s3/times.ts'
import { spool, sweepSpool } from '../drivers/objects/spool.ts'
import type { Catalogue } from '../images/catalogue.ts'
import { followNews } from '../images/follow-news.ts'
import type { HiddenImages } from '../images/hidden-images.ts'
import { createImageCache } from '../images/image-cache.ts'
import { type ImageNews, noNews } from '../images/image-news.ts'
import { ImageSource } from '../images/image-source.ts'
import { withListedSizes } from '../images/listed-sizes.ts'
import type { ObjectStore } from '../images/object-store.ts'
import { Pool } from '../images/pool.ts'
import { createProxy } from '../images/proxy.ts'
import { ShapeReader } from '../images/shapes/shape-reader.ts'
import type { Spool } from '../images/strip/file-bytes.ts'
import { noPositions, type Positions, Unseen } from '../images/unseen.ts'
import { withoutHidden } from '../images/visible-catalogue.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import { fillWithSamples } from './samples.ts'

export interface ImageOverrides {
  readonly store?: (real: ObjectStore) => ObjectStore
  readonly catalogue?: (real: Catalogue) => Catalogue
  readonly random?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly storeTimes?: S3Times
  readonly settledMs?: number
  /** If false, objects that others store stay unread. */
  readonly readsShapes?: boolean
}

export type ImageParts = Awaited<ReturnType<typeof openImages>>

const settledMs = 5_000

/** So many files are listed every minute, for changes by hand to show within it. */
const freeImages = 100_000

/** In user space and in the kernel, of all threads. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

interface Surroundings {
  readonly clock: Clock
  readonly log: Logger
  readonly overrides?: ImageOverrides
  /** Wraps the store in order to measure it. */
  readonly observe?: (store: ObjectStore) => ObjectStore
  readonly news?: ImageNews | null
  readonly positions?: Positions
  /** By default, no image is hidden: the command line tool sees them all. */
  readonly hidden?: Pick<HiddenImages, 'has' | 'isEmpty' | 'isKnown' | 'subscribe'>
  /** Only the service may replace an unusable catalogue. */
  readonly mayReplace?: boolean
}

const nothingHidden: Pick<HiddenImages, 'has' | 'isEmpty' | 'isKnown' | 'subscribe'> = {
  isKnown: true,
  isEmpty: true,
  has: () => false,
  subscribe() {},
}

/** Assembles everything that images need; `start` begins to list the store. */
export async function openImages(
  config: Config,
  {
    clock,
    log,
    overrides = {},
    observe = (store) => store,
    news: given,
    positions = noPositions,
    hidden = nothingHidden,
    mayReplace = true,
  }: Surroundings,
) {
  const { DATA_DIR: dataDir, S3_BUCKET: bucket, CHOOSE_IMAGES_ONLY: imagesOnly, imageKinds: kinds } = config
  const realStore = await openStore(config, { clock }, overrides.storeTimes)
  const news = given ?? noNews
  const chosenStore = overrides.store?.(realStore) ?? realStore
  try {
    const random = overrides.random ?? Math.random
    const realCatalogue = openCatalogue({ dataDir, source: sourceOf(config), kinds, mayReplace, imagesOnly, random })
    const catalogue = withoutHidden(overrides.catalogue?.(realCatalogue) ?? realCatalogue, hidden)
    const store = observe(chosenStore)
    const served =
      config.S3_ENDPOINT === null ? store : observe(withListedSizes(chosenStore, { bucket, kinds, catalogue }))
    const cache = createImageCache(config.IMAGE_CACHE_BYTES)
    const refreshMs = config.CATALOGUE_REFRESH_SECONDS * 1000
    const source = new ImageSource({
      store: served,
      bucket,
      kinds,
      cache,
      clock,
      log,
      freshMs: refreshMs,
      isHidden: (key) => !hidden.isKnown || hidden.has(key),
      publish: (change) => news.publish(change),
    })
    const probe = createBucketProbe(store, bucket, config.S3_ENDPOINT !== null && config.S3_CREATE_BUCKET)
    const deps = { store, bucket, kinds, catalogue, source, clock, log }
    const shapes = new ShapeReader({ ...deps, imagesOnly, settledMs: overrides.settledMs ?? settledMs })
    const pool = new Pool({
      ...deps,
      refreshMs,
      ...(config.S3_ENDPOINT === null && { budget: { freeImages, cpuMs } }),
      isStoreAway: probe.hasFailed,
      onNew: shapes.wake,
    })
    hidden.subscribe((names, isHidden) => {
      for (const key of names) {
        source.purge(key)
        if (isHidden) pool.update(key, null)
        else void source.follow(key, 'keep')
      }
    })
    const unseen = new Unseen({
      catalogue,
      clock,
      positions,
      publishSteps: given ? (steps) => given.publishSteps(steps) : null,
    })
    const closing = new AbortController()
    const { signal } = closing
    const begin = async () => {
      if (config.S3_ENDPOINT === null && config.SAMPLE_IMAGES)
        await fillWithSamples({ store, bucket, kinds, log, dataDir, signal })
      await news.start(followNews({ source, pool, unseen }))
      if (signal.aborted) return
      pool.start()
      if (overrides.readsShapes !== false) shapes.start()
    }
    let starting: Promise<void> | null = null
    return {
      store,
      kinds,
      catalogue,
      cache,
      source,
      pool,
      shapes,
      unseen,
      proxy: createProxy({ source, log }),
      random,
      spool: config.UPLOAD_STRIP_METADATA ? await openSpool(config) : null,
      /** Rejects if the bucket cannot be used. */
      check: probe.check,
      ...(overrides.sleep && { sleep: overrides.sleep }),
      /** Fills an empty folder with samples and starts the pool, in the background. */
      start() {
        // The first listing must find the bucket. The probes log failures.
        const ignore = () => {}
        const next = () => {
          if (!signal.aborted) starting = begin()
        }
        void probe.check().catch(ignore).then(next)
      },
      async close() {
        closing.abort()
        await news.close()
        await starting
        await pool.close()
        await shapes.close()
        await store.close()
        catalogue.close()
      },
    }
  } catch (error) {
    await chosenStore.close()
    throw error
  }
}

/** Single-flight. If allowed, creates a missing bucket, until the bucket has been seen once. */
function createBucketProbe(store: ObjectStore, bucket: string, mayCreate: boolean) {
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

/** Opens only the store, and creates the bucket of an embedded one. */
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
    temporaryFolder: temporaryFolder(config),
    clock,
    times,
  })
}

/** Null for an object store. */
export const bucketFolderId = ({ DATA_DIR, S3_BUCKET, S3_ENDPOINT }: Config): string | null =>
  S3_ENDPOINT === null ? makeBucketFolder(DATA_DIR, S3_BUCKET) : null

const temporaryFolder = ({ DATA_DIR }: Config) => join(DATA_DIR, 'temporary')

async function openSpool(config: Config): Promise<Spool> {
  const folder = temporaryFolder(config)
  await sweepSpool(folder)
  return (chunks) => spool(folder, chunks, true)
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
