import { setImmediate as nextTurn } from 'node:timers/promises'
import { batches } from '../lib/batches.ts'
import type { CatalogueEntry, Listing } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import { parseServedKey } from './names.ts'
import type { ListedObject } from './object-store.ts'
import type { PoolDeps } from './pool.ts'
import type { UnservedReport } from './unserved.ts'

interface Synchronization extends Pick<PoolDeps, 'store' | 'bucket' | 'kinds' | 'catalogue' | 'source'> {
  readonly signal: AbortSignal
  /** Learns of what the proxy would not serve. */
  readonly unserved: Pick<UnservedReport, 'add'>
  /** Called after each page of a kind and at its end. */
  readonly onPage: (kind: Kind) => void
}

interface Walk {
  readonly kind: Kind
  readonly listing: Listing
  readonly pages: AsyncIterator<readonly ListedObject[]>
}

/** Entries per turn of the event loop: up to three milliseconds if all of a million are new. */
const batchSize = 100

/**
 * Lists the store into the catalogue and purges what has changed. The kinds take turns, one page each, so that none
 * waits for another to finish; kinds without entries, such as new ones, go first.
 */
export async function synchronize(parts: Synchronization): Promise<void> {
  const order = (kind: Kind) => Number(parts.catalogue.count(kind) > 0)
  const kinds = [...parts.kinds].sort((one, other) => order(one) - order(other))
  let walks = kinds.map((kind) => startWalk(parts, kind))
  try {
    while (walks.length > 0) {
      const unfinished: Walk[] = []
      for (const walk of walks) if (await step(parts, walk)) unfinished.push(walk)
      walks = unfinished
    }
  } finally {
    await Promise.all(walks.map(({ pages }) => pages.return?.()))
  }
}

function startWalk({ store, bucket, catalogue, unserved, signal }: Synchronization, kind: Kind): Walk {
  const prefix = `${kind}/`
  const known = (key: string) => catalogue.find(kind, key.slice(prefix.length))
  const pages = store.list(bucket, { prefix, isFlat: true, onFolder: (name) => unserved.add({ name }), known, signal })
  return { kind, listing: catalogue.listing(kind), pages: pages[Symbol.asyncIterator]() }
}

/** Resolves to false at the end of the kind. */
async function step(parts: Synchronization, { kind, listing, pages }: Walk): Promise<boolean> {
  listing.expect()
  const { value, done } = await pages.next()
  parts.signal.throwIfAborted()
  if (done) {
    for (let dropped = listing.end(); dropped !== null; dropped = listing.end()) await purge(parts, kind, dropped)
  } else {
    const entries = value.flatMap((object) => entryOf(parts, object))
    for (const some of batches(entries, batchSize)) await purge(parts, kind, listing.take(some))
  }
  parts.onPage(kind)
  return !done
}

async function purge({ source, signal }: Synchronization, kind: Kind, filenames: readonly string[]): Promise<void> {
  for (const filename of filenames) source.purge(`${kind}/${filename}`)
  await nextTurn()
  signal.throwIfAborted()
}

/** Empty for an object that the proxy would not serve. */
function entryOf({ kinds, unserved }: Synchronization, object: ListedObject): CatalogueEntry[] {
  const image = parseServedKey(kinds, object)
  const { etag, size, modified } = object
  if (image) return [{ filename: image.filename, etag, size, modified }]
  // Some tools mark a folder by an object.
  if (!object.name.endsWith('/')) unserved.add(object)
  return []
}
