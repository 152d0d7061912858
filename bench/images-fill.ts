import { openCatalogue } from '../src/drivers/catalogue/catalogue.ts'
import { builtInKinds as kinds } from '../src/images/kinds.ts'
import { entryOf, kind } from './images-pool.ts'

/* Fills the catalogue of a data folder as a first listing would, before a service starts on it. */

const { DATA_DIR: dataDir = '', SOURCE: source = '', OBJECTS: objects } = process.env
const pageLength = 10_000

const catalogue = openCatalogue({ dataDir, source, kinds, mayReplace: true, random: Math.random })
const count = Number(objects)
for (const each of kinds) {
  const listing = catalogue.listing(each)
  for (let from = 0; each === kind && from < count; from += pageLength) {
    listing.expect()
    listing.take(Array.from({ length: Math.min(pageLength, count - from) }, (_, index) => entryOf(from + index)))
  }
  while (listing.end() !== null);
}
catalogue.close()
