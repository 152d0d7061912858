import type { Gate } from './figures.ts'
import { benchDelivery } from './images-delivery.ts'
import { benchFirstListing } from './images-many.ts'
import { benchRandom } from './images-random.ts'
import { benchSlowReaders } from './images-slow-readers.ts'
import { benchUploads } from './images-uploads.ts'

const size = {
  quick: { rounds: 3, roundMs: 500, manyObjects: 1_000_000, listedObjects: 250_000, slowMs: 3000 },
  full: { rounds: 7, roundMs: 1200, manyObjects: 10_000_000, listedObjects: 1_000_000, slowMs: 8000 },
}

/** Everything about images: how they are chosen, how they are served, and what memory that takes. */
export async function benchImages({
  folder,
  quick,
}: {
  readonly folder: string
  readonly quick: boolean
}): Promise<Gate[]> {
  const options = { folder, ...size[quick ? 'quick' : 'full'] }
  return [
    ...(await benchRandom(options)),
    ...(await benchFirstListing(options)),
    ...(await benchDelivery(options)),
    ...(await benchUploads(options)),
    ...(await benchSlowReaders(options)),
  ]
}
