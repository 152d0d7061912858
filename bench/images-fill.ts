import { openCatalogue } from '../src/drivers/catalogue/catalogue.ts'
import { builtInKinds as kinds } from '../src/images/kinds.ts'
import { entryOf, kind, shapeOf } from './images-pool.ts'

/* Fills the catalogue of a data folder as a first listing would and, with SHAPES, as reading the headers would. */

const { DATA_DIR: dataDir = '', SOURCE: source = '', OBJECTS: objects, SHAPES } = process.env
const pageLength = 10_000

const catalogue = openCatalogue({ dataDir, source, kinds, mayReplace: true, imagesOnly: false, random: Math.random })
const count = Number(objects)
for (const each of kinds) {
  const listing = catalogue.listing(each)
  for (let from = 0; each === kind && from < count; from += pageLength) {
    listing.expect()
    const page = Array.from({ length: Math.min(pageLength, count - from) }, (_, index) => entryOf(from + index))
    listing.take(page)
    if (SHAPES)
      catalogue.describe(
        kind,
        page.map(({ filename, etag }, index) => ({ filename, etag, shape: shapeOf(from + index), fault: null })),
      )
  }
  while (listing.end() !== null);
}
catalogue.close()
