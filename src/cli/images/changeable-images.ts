import { openImages, openStore } from '../../api/image-parts.ts'
import type { Config } from '../../config/config.ts'
import { BadDatabase } from '../../drivers/accounts/database.ts'
import { prepareDataDir } from '../../drivers/data-dir.ts'
import { openNews } from '../../drivers/image-news/open-news.ts'
import type { ChangeDeps } from '../../images/admin/records.ts'
import { isObjectName } from '../../images/object-name.ts'
import { withAccounts } from '../accounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import { type Absent, configOf, inWords, isMissing, noStore, silentLog } from './image-store.ts'

export interface ChangeableImages extends ChangeDeps {
  readonly config: Config
  readonly bucket: string
}

/** Runs `act` with the store, the catalogue and the audit of the service: it can only change what it can audit. */
export function withChangeableImages<T>(
  cli: Cli,
  absent: Exclude<Absent, 'pretend'>,
  act: (images: ChangeableImages) => Promise<T>,
): Promise<T> {
  const config = configOf(cli, absent)
  if (absent === 'fail' && isMissing(config)) throw noStore(config)
  return withAccounts(cli, { mayMake: true }, ({ records }) =>
    inWords(config, async () => {
      prepareDataDir(config.DATA_DIR)
      const images = await openWithCatalogue(config, cli)
      try {
        await images.check()
        const { store, source } = images
        return await act({ config, bucket: config.S3_BUCKET, store, source, records })
      } finally {
        await images.close()
      }
    }),
  )
}

/** Without the catalogue if it cannot be used, since the service replaces it. */
async function openWithCatalogue(config: Config, cli: Cli) {
  try {
    const log = silentLog(cli)
    const news = await openNews(config, log)
    const images = await openImages(config, { clock: cli.clock, log, news, mayReplace: false })
    await news?.start({ onChange() {}, onGap() {} })
    return images
  } catch (error) {
    if (!(error instanceof BadDatabase)) throw error
    const store = await openStore(config, cli)
    const { S3_BUCKET: bucket, S3_CREATE_BUCKET: mayCreate } = config
    const check = () => (mayCreate ? store.createBucket(bucket) : store.check(bucket))
    return { store, source: { recheck: async () => {} }, check, close: () => store.close() }
  }
}

export function checkObjectName(name: string): void {
  if (!isObjectName(name))
    throw new Failed(`${quoted(name)} is not a valid object name; expected one such as fox/a.png.`)
}
