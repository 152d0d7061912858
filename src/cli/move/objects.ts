import { join } from 'node:path'
import { openStore } from '../../api/image-store.ts'
import type { Config } from '../../config/config.ts'
import { bucketsIn } from '../../drivers/objects/folder/archived.ts'
import { openFolderStore } from '../../drivers/objects/folder/folder.ts'
import { isMd5 } from '../../images/checksum.ts'
import { type ListedObject, NoSuchBucket, type ObjectStore } from '../../images/object-store.ts'
import { counted } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { md5OfObject, put } from '../images/objects.ts'
import { work } from '../images/parallel.ts'
import { onOneLine } from '../output.ts'
import { counting, createProgress, type ProgressPart } from '../progress.ts'
import type { Job } from './job.ts'

const parallel = 4
/** The type reported by a store that keeps none. */
const noType = 'application/octet-stream'

/** A bucket of the source, and the bucket to which its objects move. */
interface Pair {
  readonly source: string
  readonly target: string
}

export const placeOfObjects = ({ S3_ENDPOINT, DATA_DIR }: Config) => S3_ENDPOINT ?? join(DATA_DIR, 'objects')

/** Null if there are no objects to move. */
export async function openObjects(job: Job) {
  const { cli, from, to } = job
  const names = from.S3_ENDPOINT === null ? await filledBuckets(from.DATA_DIR) : [from.S3_BUCKET]
  if (names.length === 0) return null
  const pairs = pairsOf(names, from, to)
  if (to.S3_ENDPOINT === null) await checkOtherBuckets(pairs, to)
  const source = await open(from, cli)
  const target = await open(to, cli).catch(async (error) => {
    await source.close()
    throw error
  })
  const close = async () => {
    await source.close()
    await target.close()
  }
  try {
    for (const pair of pairs) await checkBuckets(source, target, pair, to)
  } catch (error) {
    await close()
    throw error
  }
  return { from: placeOfObjects(from), to: placeOfObjects(to), ...createMove(job, source, target, pairs), close }
}

/** Unlike `openStore`, creates no bucket in a folder. */
const open = (place: Config, cli: Cli): Promise<ObjectStore> =>
  place.S3_ENDPOINT === null ? openFolderStore({ dataDir: place.DATA_DIR }) : openStore(place, cli)

async function filledBuckets(dataDir: string): Promise<string[]> {
  const names = await bucketsIn(dataDir)
  if (names.length === 0) return []
  const store = await openFolderStore({ dataDir })
  const filled: string[] = []
  for (const name of names)
    for await (const _ of store.list(name, { prefix: '', isFlat: false })) {
      filled.push(name)
      break
    }
  return filled
}

/** S3_BUCKET names the image bucket in both places; a folder with only one bucket may name it differently. */
function pairsOf(names: readonly string[], from: Config, { S3_BUCKET }: Config): readonly Pair[] {
  const [first] = names
  if (names.length === 1 && first !== undefined) return [{ source: first, target: S3_BUCKET }]
  if (names.includes(S3_BUCKET)) return names.map((name) => ({ source: name, target: name }))
  throw new Failed(
    `S3_BUCKET: ${placeOfObjects(from)} has the buckets ${names.join(', ')}, but no ${S3_BUCKET}; move away those that do not hold its images.`,
  )
}

/** Without S3_BUCKET, a service would serve one bucket of the folder, and nobody would see the others. */
async function checkOtherBuckets(pairs: readonly Pair[], { DATA_DIR }: Config): Promise<void> {
  const others = new Set(await filledBuckets(DATA_DIR)).difference(new Set(pairs.map(({ target }) => target)))
  const [other] = others
  if (other !== undefined)
    throw new Failed(`${DATA_DIR} already has images, in the bucket ${other}; choose a new folder.`)
}

async function checkBuckets(source: ObjectStore, target: ObjectStore, pair: Pair, to: Config): Promise<void> {
  if (!(await source.bucketExists(pair.source))) throw new NoSuchBucket(pair.source)
  if (to.S3_ENDPOINT === null || to.S3_CREATE_BUCKET) return target.createBucket(pair.target)
  if (!(await target.bucketExists(pair.target)))
    throw new Failed(
      `S3_ENDPOINT: no bucket ${pair.target} in ${to.S3_ENDPOINT}; create it, or set S3_CREATE_BUCKET=true.`,
    )
}

function createMove(job: Job, source: ObjectStore, target: ObjectStore, pairs: readonly Pair[]) {
  const { cli, signal } = job
  let isResumed = false

  async function* objectsOf(store: ObjectStore, side: keyof Pair) {
    for (const pair of pairs)
      for await (const page of store.list(pair[side], { prefix: '', isFlat: false, signal }))
        for (const object of page) yield { pair, object }
  }
  type Item = { readonly pair: Pair; readonly object: ListedObject }

  /** Handles several at a time; fails at the end if any failed. */
  async function each(title: string, side: keyof Pair, act: (item: Item, part: ProgressPart) => Promise<void>) {
    const seen = { objects: 0, bytes: 0 }
    const failed = { count: 0, first: '' }
    const items = () => objectsOf(side === 'source' ? source : target, side)
    using progress = createProgress(job.screen, cli.clock, title)
    if (progress.isShown) for await (const { object } of items()) progress.expect(object.size)
    const givenUp = await work({
      items: items(),
      parallel,
      signal,
      progress,
      backoffMs: cli.backoffMs,
      async act(item, part) {
        part.is(item.object.size)
        await act(item, part)
        seen.objects++
        seen.bytes += item.object.size
      },
      failed({ pair, object }, reason) {
        failed.first ||= onOneLine(`${pair[side]}/${object.name}: ${reason}`)
        failed.count++
      },
    })
    signal.throwIfAborted()
    if (failed.count > 0)
      throw new Failed(`${counted(failed.count, 'object')} failed, first ${failed.first}. ${givenUp ?? ''}`.trim())
    return seen
  }

  /** Compares the ETags or, if they are not MD5s, the bytes. */
  async function isSame({ pair, object }: Item): Promise<boolean> {
    const { name } = object
    const head = await source.head({ bucket: pair.source, name }, signal)
    if (head === null || head.size !== object.size) return false
    if (isMd5(head.etag) && head.etag.toLowerCase() === object.etag.toLowerCase()) return true
    const theirs = await md5OfObject(source, { bucket: pair.source, name }, signal)
    return theirs === (await md5OfObject(target, { bucket: pair.target, name }, signal))
  }

  const compare = async (item: Item) => {
    if (!(await isSame(item)))
      throw new Failed('the source has no such object, or another one; empty the target bucket, or choose another')
  }

  async function bring({ pair, object }: Item, part: ProgressPart): Promise<void> {
    const { name } = object
    const to = { bucket: pair.target, name }
    if (isResumed && (await target.head(to, signal)) !== null) return
    const reading = await source.read({ bucket: pair.source, name }, signal)
    if (reading === null) throw new Failed('it was deleted during the move')
    const { type, size } = reading.head
    const body = counting(reading.chunks(), part)
    await put(target, { ...to, type: type ?? noType, size, body, signal }, 'target')
  }

  return {
    /** Fails if the target has anything other than objects of the source. */
    async check() {
      isResumed = (await each('Checking the target ', 'target', compare)).objects > 0
    },
    async copy() {
      await each('Copying objects ', 'source', bring)
    },
    /** Fails unless both have the same objects. */
    async verify() {
      const seen = await each('Verifying objects ', 'target', compare)
      let count = 0
      for await (const _ of objectsOf(source, 'source')) count++
      if (seen.objects === count) return seen
      throw new Failed(
        `${counted(count, 'object')} in the source, but ${seen.objects} in the target; stop what changes them.`,
      )
    },
  }
}
