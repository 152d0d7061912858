import type { Catalogue } from '../../images/catalogue.ts'
import type { Kind } from '../../images/kinds.ts'
import { parseServedKey } from '../../images/names.ts'
import { UnservedReport } from '../../images/unserved.ts'
import { closing } from '../../lib/closing.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { inBytes } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { table } from '../output.ts'
import { configOf, withStore } from './image-store.ts'
import { openCatalogueAsIs, SetAsideReport } from './set-aside.ts'

interface Sum {
  count: number
  bytes: number
  newest: number | null
}

const maxNamed = 20
const reasons = { empty: 'empty', nested: 'nested deeper', badName: 'an invalid name', elsewhere: 'of no kind' }

/** Lists the whole bucket, keeping only sums, and the names of the first objects that are not served. */
export async function showStats(cli: Cli): Promise<void> {
  const config = configOf(cli, 'fail')
  const { imageKinds: kinds } = config
  const sums = new Map([...kinds].map((kind): [Kind, Sum] => [kind, { count: 0, bytes: 0, newest: null }]))
  const unserved = new UnservedReport(kinds, maxNamed)
  const setAside = new SetAsideReport(config)
  const { bucket, listing } = await withStore(cli, 'fail', async (images) => {
    const catalogue = openCatalogueAsIs(config)
    await using _ = closing(catalogue)
    const known = config.CHOOSE_IMAGES_ONLY ? catalogue : null
    for await (const page of images.store.list(images.bucket, { prefix: '', isFlat: false })) {
      for (const object of page) {
        const image = parseServedKey(kinds, object)
        const sum = sums.get(image?.kind ?? '')
        if (sum && image) {
          setAside.add(object.name, known?.faultOf(image.kind, image.filename, object.etag))
          sum.count++
          sum.bytes += object.size
          sum.newest = Math.max(sum.newest ?? 0, object.modified)
        } else unserved.add(object)
      }
    }
    return { bucket: images.bucket, listing: catalogue && listingOf(catalogue, [...kinds]) }
  })
  const all = [...sums.values()]
  const total = { count: add(all.map(({ count }) => count)), bytes: add(all.map(({ bytes }) => bytes)) }
  const shown = [...sums].map(([kind, { count, bytes, newest }]) => ({
    kind,
    count,
    bytes,
    newest: newest === null ? null : isoTime(newest),
  }))
  const rows = [
    ['KIND', 'IMAGES', 'SIZE', 'NEWEST'],
    ...shown.map(({ kind, count, bytes, newest }) => [kind, String(count), inBytes(bytes), newest ?? 'none']),
    ['all', String(total.count), inBytes(total.bytes)],
  ]
  const { count, counts, named } = unserved
  const { empty, nested, badName, elsewhere } = counts
  const more = count - named.length
  const others = `Not served, besides hidden images: ${count} (${empty} empty, ${nested} nested deeper, ${badName} with an invalid name, ${elsewhere} of no kind).`
  const underWay = `The service is listing the images for the first time: ${listing?.images} so far.`
  const lines = [
    table(rows),
    others,
    ...named.map(({ name, why }) => `  ${name}: ${reasons[why]}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...setAside.lines(),
    ...(listing?.isComplete === false ? [underWay] : []),
  ]
  await cli.out.print(
    { bucket, kinds: shown, total, notServed: counts, unserved: named, setAside: setAside.document(), listing },
    lines.join('\n'),
  )
}

/** How far the service on this machine has come with its first listing. */
const listingOf = (catalogue: Catalogue, kinds: readonly Kind[]) => ({
  images: add(kinds.map((kind) => catalogue.count(kind))),
  isComplete: kinds.every((kind) => catalogue.isComplete(kind)),
})

const add = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
