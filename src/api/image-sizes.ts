import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { openSizeFolder } from '../drivers/sizes/folder.ts'
import { createResizer, type ResizerTimes, resizerTimes, sharpVersion } from '../drivers/sizes/resizer.ts'
import { Sizes, type SizesDeps } from '../images/sizes/sizes.ts'
import { networkOf } from '../lib/address.ts'

type Given = Omit<SizesDeps, 'files' | 'resizer' | 'widths' | 'networkOf'>

/** Null if they are switched off, or sharp is not installed. Starts no process. */
export function openSizes(
  { IMAGE_SIZES, IMAGE_SIZES_MAX_BYTES, IMAGE_WIDTHS, DATA_DIR, RATE_LIMIT_IPV6_PREFIX }: Config,
  given: Given,
  times: Partial<ResizerTimes> = {},
): Sizes | null {
  if (!IMAGE_SIZES) return null
  const version = sharpVersion()
  if (version === null) {
    given.log.info('sharp is not installed, so images are served as stored: w and format are ignored')
    return null
  }
  return new Sizes({
    ...given,
    widths: IMAGE_WIDTHS,
    networkOf: (address) => networkOf(address, RATE_LIMIT_IPV6_PREFIX),
    resizer: createResizer(version, { ...resizerTimes, ...times }),
    files: openSizeFolder({ folder: join(DATA_DIR, 'sizes'), maxBytes: IMAGE_SIZES_MAX_BYTES, log: given.log }),
  })
}
