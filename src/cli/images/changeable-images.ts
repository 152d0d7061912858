import type { Config } from '../../config/config.ts'
import { prepareDataDir } from '../../drivers/data-dir.ts'
import type { ChangeDeps } from '../../images/admin/records.ts'
import type { UploadDeps } from '../../images/admin/upload.ts'
import { endDetails } from '../../images/details/end-details.ts'
import { isObjectName } from '../../images/object-name.ts'
import type { ObjectRef } from '../../images/object-store.ts'
import { closing } from '../../lib/closing.ts'
import { withAccounts } from '../accounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import { type Absent, configOf, explained, isMissing, noStore, openWithCatalogue } from './image-store.ts'

export interface ChangeableImages extends ChangeDeps, Pick<UploadDeps, 'shapes'> {
  readonly config: Config
  readonly bucket: string
}

/** Runs `act` with the service's store, catalogue and audit: it can only change what it can audit. */
export function withChangeableImages<T>(
  cli: Cli,
  absent: Exclude<Absent, 'pretend'>,
  act: (images: ChangeableImages) => Promise<T>,
): Promise<T> {
  const config = configOf(cli, absent)
  if (absent === 'fail' && isMissing(config)) throw noStore(config)
  return withAccounts(cli, { mayMake: true }, ({ records, imageDetails }) =>
    explained(config, async () => {
      prepareDataDir(config.DATA_DIR)
      const images = await openWithCatalogue(config, cli)
      await using _ = closing(images)
      await images.check()
      const { store, source, shapes } = images
      const { S3_BUCKET: bucket, imageKinds: kinds } = config
      const details = {
        async end(ref: ObjectRef) {
          await endDetails({ store: imageDetails, bucket, kinds }, ref)
        },
      }
      return await act({ config, bucket, store, source, shapes, details, records })
    }),
  )
}

export function checkObjectName(name: string): void {
  if (!isObjectName(name))
    throw new Failed(`${quoted(name)} is not a valid object name; expected one such as fox/a.png.`)
}
