import type { Config } from '../config/config.ts'
import { openCatalogue } from '../drivers/catalogue/catalogue.ts'
import type { S3Times } from '../drivers/objects/s3/times.ts'
import type { ResizerTimes } from '../drivers/sizes/resizer.ts'
import type { Catalogue } from '../images/catalogue.ts'
import { followNews } from '../images/follow-news.ts'
import type { HiddenImages } from '../images/hidden-images.ts'
import { createImageCache } from '../images/image-cache.ts'
import { type ImageNews, noNews } from '../images/image-news.ts'
import { ImageSource } from '../images/image-source.ts'
import type { Kinds } from '../images/kinds.ts'
import { withListedSizes } from '../images/listed-sizes.ts'
import type { ObjectStore } from '../images/object-store.ts'
import { noSavedPeriods, PeriodImages } from '../images/period-images.ts'
import { Pool } from '../images/pool.ts'
import type { SavedPeriodImages, WalkStep } from '../images/positions.ts'
import { createProxy } from '../images/proxy.ts'
import { ShapeReader } from '../images/shapes/shape-reader.ts'
import { type Looks, noLooks } from '../images/sizes/looks.ts'
import { type ImageTags, noTags } from '../images/tags.ts'
import { noPositions, type Positions, Unseen } from '../images/unseen.ts'
import { withoutHidden } from '../images/visible-catalogue.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import { openSizes } from './image-sizes.ts'
import { createBucketProbe, createUploadSpool, openStore, sourceOf } from './image-store.ts'
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
  readonly resizer?: Partial<ResizerTimes>
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

type Hidden = Pick<HiddenImages, 'has' | 'isEmpty' | 'isKnown' | 'subscribe'>

/** What the service has, and the command line tool does without. */
interface ServiceParts {
  readonly overrides: ImageOverrides
  /** Wraps the store in order to measure it. */
  observe(store: ObjectStore): ObjectStore
  readonly news: ImageNews | null
  readonly positions: Positions
  readonly savedPeriods: SavedPeriodImages
  readonly looks: Looks
  /** By default, no image is hidden: the command line tool sees them all. */
  readonly hidden: Hidden
  readonly tags: ImageTags
  /** Called with the catalogue after every complete listing of the store. */
  onListed(catalogue: Catalogue): void
  /** Only the service may replace an unusable catalogue. */
  readonly mayReplace: boolean
}

const noService: ServiceParts = {
  overrides: {},
  observe: (store) => store,
  news: null,
  positions: noPositions,
  savedPeriods: noSavedPeriods,
  looks: noLooks,
  hidden: { isKnown: true, isEmpty: true, has: () => false, subscribe() {} },
  tags: noTags,
  onListed() {},
  mayReplace: true,
}

interface Surroundings extends Partial<ServiceParts> {
  readonly clock: Clock
  readonly log: Logger
}

/** Assembles everything that images need; `start` begins to list the store. */
export async function openImages(config: Config, given: Surroundings) {
  const surroundings = { ...noService, ...given }
  const { clock, log, overrides } = surroundings
  const real = await openStore(config, { clock }, overrides.storeTimes)
  const store = overrides.store?.(real) ?? real
  try {
    const parts = choosingParts(config, servingParts(config, store, surroundings), surroundings)
    return {
      ...parts,
      proxy: createProxy({ source: parts.source, sizes: parts.sizes, log }),
      proxyOfAll: createProxy({ source: parts.sourceOfAll, sizes: null, log }),
      spool: createUploadSpool(config),
      ...(overrides.sleep && { sleep: overrides.sleep }),
      ...lifecycleOf(config, parts, surroundings),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The store and the catalogue of its images, and what serves them. */
function servingParts(config: Config, chosenStore: ObjectStore, surroundings: Required<Surroundings>) {
  const { clock, log, overrides, observe, looks, hidden, tags, mayReplace } = surroundings
  const { DATA_DIR: dataDir, S3_BUCKET: bucket, CHOOSE_IMAGES_ONLY: imagesOnly, imageKinds: kinds } = config
  const news = surroundings.news ?? noNews
  const random = overrides.random ?? Math.random
  const source = sourceOf(config)
  const realCatalogue = openCatalogue({ dataDir, source, kinds, mayReplace, imagesOnly, random, tags })
  const catalogue = withoutHidden(overrides.catalogue?.(realCatalogue) ?? realCatalogue, hidden)
  const store = observe(chosenStore)
  const cache = createImageCache(config.IMAGE_CACHE_BYTES)
  const forVisitors = {
    ...{ bucket, kinds, clock, log, cache },
    store: config.S3_ENDPOINT === null ? store : observe(withListedSizes(chosenStore, { bucket, kinds, catalogue })),
    freshMs: config.CATALOGUE_REFRESH_SECONDS * 1000,
    isHidden: (key: string) => !hidden.isKnown || hidden.has(key),
  }
  const images = new ImageSource({ ...forVisitors, publish: (change) => news.publish(change) })
  // For moderators, who also see what is hidden. Caches nothing, and has nobody to tell.
  const sourceOfAll = new ImageSource({
    ...forVisitors,
    cache: createImageCache(0),
    isHidden: () => false,
    publish() {},
  })
  // The command line tool serves nobody.
  const sizes = mayReplace ? openSizes(config, { ...forVisitors, source: images, looks }, overrides.resizer) : null
  return { store, bucket, kinds, catalogue, cache, source: images, sourceOfAll, sizes, news, random }
}

/** What chooses an image, and follows the changes of the store. */
function choosingParts(
  config: Config,
  parts: ReturnType<typeof servingParts>,
  { clock, log, overrides, news, positions, savedPeriods, hidden, onListed }: Required<Surroundings>,
) {
  const { store, bucket, kinds, catalogue, source, random } = parts
  const isS3 = config.S3_ENDPOINT !== null
  const probe = createBucketProbe(store, bucket, isS3 && config.S3_CREATE_BUCKET)
  const deps = { bucket, kinds, clock, log, store, catalogue, source }
  const shapes = new ShapeReader({
    ...deps,
    imagesOnly: config.CHOOSE_IMAGES_ONLY,
    settledMs: overrides.settledMs ?? settledMs,
  })
  const pool = new Pool({
    ...deps,
    refreshMs: config.CATALOGUE_REFRESH_SECONDS * 1000,
    ...(!isS3 && { budget: { freeImages, cpuMs } }),
    isStoreAway: probe.hasFailed,
    onListed: () => onListed(catalogue),
    onNew: shapes.wake,
  })
  followHidden(hidden, source, pool)
  const publishSteps = news && ((steps: readonly WalkStep[]) => news.publishSteps(steps))
  const unseen = new Unseen({ catalogue, clock, positions, publishSteps })
  const periodImages = new PeriodImages({
    catalogue,
    clock,
    random,
    saved: savedPeriods,
    async lookUp(key) {
      if ((await store.head({ bucket, name: key })) !== null) await source.follow(key, 'keep')
    },
  })
  /** `check` rejects if the bucket cannot be used. */
  return { ...parts, pool, shapes, unseen, periodImages, check: probe.check }
}

function followHidden(
  hidden: Pick<HiddenImages, 'subscribe'>,
  source: Pick<ImageSource, 'purge' | 'follow'>,
  pool: Pick<Pool, 'update'>,
): void {
  hidden.subscribe((names, isHidden) => {
    for (const key of names) {
      source.purge(key)
      if (isHidden) pool.update(key, null)
      else void source.follow(key, 'keep')
    }
  })
}

/** So that the first request with a filter does not wait for them. */
async function readColumns(kinds: Kinds, catalogue: Catalogue, signal: AbortSignal): Promise<void> {
  for (const kind of kinds) if (!signal.aborted) await catalogue.hashes(kind)
}

function lifecycleOf(
  { S3_ENDPOINT, SAMPLE_IMAGES, DATA_DIR: dataDir }: Config,
  parts: ReturnType<typeof choosingParts>,
  { log, overrides: { readsShapes = true } }: Required<Surroundings>,
) {
  const { store, bucket, kinds, catalogue, source, pool, shapes, unseen, sizes, news, check } = parts
  const closing = new AbortController()
  const { signal } = closing
  let starting: Promise<void> | null = null
  const begin = async () => {
    if (S3_ENDPOINT === null && SAMPLE_IMAGES) await fillWithSamples({ store, bucket, kinds, log, dataDir, signal })
    await news.start(followNews({ source, pool, unseen }))
    if (signal.aborted) return
    pool.start()
    if (readsShapes) shapes.start()
    // A failure concerns only the requests that need the columns: they read them themselves.
    void readColumns(kinds, catalogue, signal).catch(() => {})
  }
  return {
    /** Fills an empty folder with samples and starts the pool, in the background. */
    start() {
      // The first listing must find the bucket. The probes log failures.
      const ignore = () => {}
      const next = () => {
        if (!signal.aborted) starting = begin()
      }
      void check().catch(ignore).then(next)
    },
    async close() {
      closing.abort()
      await news.close()
      await starting
      await pool.close()
      await shapes.close()
      await sizes?.close()
      await store.close()
      catalogue.close()
    },
  }
}
