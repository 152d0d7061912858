import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openImages } from '../../api/image-parts.ts'
import { openStore } from '../../api/image-store.ts'
import { whyStoreFails } from '../../api/store-failure.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { BadDatabase } from '../../drivers/accounts/database.ts'
import { fileName as catalogueFile } from '../../drivers/catalogue/catalogue-file.ts'
import { prepareDataDir } from '../../drivers/data-dir.ts'
import { openNews } from '../../drivers/image-news/open-news.ts'
import type { ImageSource } from '../../images/image-source.ts'
import type { Kind } from '../../images/kinds.ts'
import { parseServedKey } from '../../images/names.ts'
import { type ListedObject, NoSuchBucket, type ObjectStore } from '../../images/object-store.ts'
import type { ShapeReader } from '../../images/shapes/shape-reader.ts'
import { closing } from '../../lib/closing.ts'
import { createLogs, type Logger } from '../../process/logger.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { onOneLine } from '../output.ts'
import type { Progress } from '../progress.ts'

export interface OpenImages {
  readonly config: Config
  readonly store: ObjectStore
  readonly bucket: string
  /** Both do nothing if the service has no catalogue on this machine. */
  readonly source: Pick<ImageSource, 'recheck'>
  readonly shapes: Pick<ShapeReader, 'learn'>
}

/** What to do if the embedded store or its bucket does not exist. */
export type Absent = 'make' | 'fail' | 'pretend'

/** Runs `act` with the service's store. */
export async function withStore<T>(cli: Cli, absent: Absent, act: (images: OpenImages) => Promise<T>): Promise<T> {
  const config = configOf(cli, absent)
  const { S3_BUCKET: bucket } = config
  return explained(config, async () => {
    if (config.S3_ENDPOINT === null && absent === 'make') prepareDataDir(config.DATA_DIR)
    if (absent !== 'make' && isMissing(config)) {
      if (absent === 'fail') throw noStore(config)
      return act({ config, bucket, store: noObjects as unknown as ObjectStore, ...noCatalogue })
    }
    const isListed = absent === 'make' && existsSync(join(config.DATA_DIR, catalogueFile))
    const images = isListed ? await openWithCatalogue(config, cli) : await openAlone(config, cli)
    const { store, source, shapes } = images
    await using _ = closing(images)
    if (config.S3_CREATE_BUCKET) await store.createBucket(bucket)
    if (!(await store.bucketExists(bucket))) throw new NoSuchBucket(bucket)
    return await act({ config, bucket, store, source, shapes })
  })
}

/** Opens the store without the catalogue if that is unusable, since the service replaces it. */
export async function openWithCatalogue(config: Config, cli: Cli) {
  try {
    const log = silentLog(cli)
    const news = await openNews(config, log)
    const images = await openImages(config, { clock: cli.clock, log, news, mayReplace: false })
    await news?.start(null)
    return images
  } catch (error) {
    if (!(error instanceof BadDatabase)) throw error
    return openAlone(config, cli)
  }
}

const noCatalogue = { source: { recheck: async () => {} }, shapes: { learn: async () => {} } }

async function openAlone(config: Config, cli: Cli) {
  const store = await openStore(config, cli)
  const { S3_BUCKET: bucket, S3_CREATE_BUCKET: mayCreate } = config
  const check = () => (mayCreate ? store.createBucket(bucket) : store.check(bucket))
  return { store, ...noCatalogue, check, close: () => store.close() }
}

/** The service's configuration, but only 'make' creates a bucket. */
export function configOf({ env }: Cli, absent: Absent): Config {
  const config = readConfig(env)
  return { ...config, S3_CREATE_BUCKET: config.S3_CREATE_BUCKET && absent === 'make' }
}

export const isMissing = ({ S3_ENDPOINT, DATA_DIR, S3_BUCKET }: Config) =>
  S3_ENDPOINT === null && !existsSync(join(DATA_DIR, 'objects', S3_BUCKET))

export const noStore = ({ DATA_DIR, S3_BUCKET }: Config) =>
  new Failed(
    `${join(DATA_DIR, 'objects', S3_BUCKET)}: no images yet. Check DATA_DIR, S3_BUCKET and S3_ENDPOINT, or run images import first.`,
  )

/** Everything a dry run needs. */
const noObjects: Pick<ObjectStore, 'head'> = { head: async () => null }

export const silentLog = ({ clock }: Cli): Logger => createLogs('silent', clock, { write() {}, flush() {} }).log

/** Turns failures of the store into one line that says what to do. */
export async function explained<T>(config: Config, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const why = whyStoreFails(config, error)
    throw why === null ? error : new Failed(onOneLine(why))
  }
}

export interface ServedObject extends ListedObject {
  readonly kind: Kind
  readonly filename: string
}

/** Lists what the proxy serves, for one kind or all, directly from the store. */
export async function* servedObjects(
  { store, bucket, config: { imageKinds } }: OpenImages,
  kind: Kind | undefined,
  signal?: AbortSignal,
): AsyncGenerator<ServedObject> {
  for (const each of kind ? [kind] : imageKinds) {
    const pages = store.list(bucket, { prefix: `${each}/`, isFlat: true, ...(signal && { signal }) })
    for await (const page of pages) {
      for (const object of page) {
        const image = parseServedKey(imageKinds, object)
        if (image !== null) yield { ...object, ...image }
      }
    }
  }
}

/** Only for a progress bar: listing costs little compared with moving the bytes. */
export async function measure(
  images: OpenImages,
  kind: Kind | undefined,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { size } of servedObjects(images, kind, signal)) progress.expect(size)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
