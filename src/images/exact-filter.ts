import { setImmediate as nextTurn } from 'node:timers/promises'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { withTimeout } from '../lib/timeout.ts'
import { Unavailable } from '../lib/unavailable.ts'
import type { Catalogue, CatalogueEntry, PagePosition } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import { isLargeEnough, type ShapeFilter } from './shapes/classes.ts'
import type { Selection } from './unseen.ts'

const maxReadMs = 5_000
/** Entries per turn of the event loop: about two milliseconds. */
const perTurn = 500

export const inTime = <T>(hashes: Promise<T>) =>
  withTimeout(hashes, maxReadMs, () => Promise.reject(new Unavailable('the names of images')))

/** If sizes decide what matches, waits until the kinds can be chosen from. */
export function whenSized<T>(
  catalogue: Pick<Catalogue, 'hashes'>,
  { of, filter }: Selection,
  act: () => MaybePromise<T>,
): MaybePromise<T> {
  if (!filter?.least) return act()
  const waits = of.map((kind) => catalogue.hashes(kind, filter)).filter(isPromise)
  if (waits.length === 0) return act()
  return Promise.all(waits.map(inTime)).then(() => whenSized(catalogue, { of, filter }, act))
}

/** A page of entries that match by their sizes, out of pages of entries in the same classes. */
export async function sizedPage(
  catalogue: Pick<Catalogue, 'shape'>,
  { kind, filter, limit }: { readonly kind: Kind; readonly filter: ShapeFilter; readonly limit: number },
  readPage: (after: PagePosition | null, limit: number) => readonly CatalogueEntry[],
  first: PagePosition | null,
): Promise<readonly CatalogueEntry[]> {
  const found: CatalogueEntry[] = []
  for (let after = first; ; await nextTurn()) {
    const some = readPage(after, perTurn)
    for (const entry of some) {
      const shape = catalogue.shape(kind, entry.filename)
      if (shape !== null && isLargeEnough(filter, shape)) found.push(entry)
    }
    after = some.at(-1) ?? null
    if (found.length >= limit || some.length < perTurn) return found.slice(0, limit)
  }
}
