import { withFirstBytes } from '../../lib/first-bytes.ts'
import type { ImageCache } from '../image-cache.ts'
import { essenceOf } from '../image-types.ts'
import type { ObjectHead, WholeObject } from '../object-store.ts'
import type { ImageParts } from '../parts.ts'
import { isImage, typeOf } from '../served.ts'
import { signatureBytes } from '../signatures.ts'
import { isLook, type Look } from './looks.ts'
import { type Lasting, NotResizable, type Resizer } from './resizer.ts'
import { formatOf, isSizable, type Variant } from './size.ts'

interface Makers extends Pick<ImageParts, 'store' | 'bucket'> {
  readonly cache: Pick<ImageCache, 'get'>
  readonly resizer: Pick<Resizer, 'resize'>
  /** Whether the look of this version is still to be found. */
  readonly needsLook: (head: ObjectHead) => Promise<boolean>
}

export interface Made extends WholeObject {
  readonly look: Look | null
}

/** Why a version has no variant. An SVG needs none, and is never decoded: it is sent as stored. */
export interface Without {
  readonly head: ObjectHead
  readonly why: 'as stored' | 'not resizable'
  readonly lasting: Lasting
  readonly reason: string
  /** Whether sizes can be made of other images of its type. */
  readonly isUndecodable: boolean
}

/** More would not fit into a process together with its pixels. */
const maxImageBytes = 134_217_728

/** The variant, with the head of the version that it was made of; null if the store has no such image. */
export async function makeVariant(
  { store, bucket, cache, ...makers }: Makers,
  key: string,
  wanted: ObjectHead,
  variant: Variant,
): Promise<Made | Without | null> {
  const cached = cache.get(key)
  try {
    if (cached?.head.etag === wanted.etag)
      return await resizeTo(variant, cached.head, { chunks: () => [cached.bytes] }, makers)
  } finally {
    cached?.release()
  }
  // Not kept in memory: a flood of sizes must not evict the images that are asked for.
  const reading = await store.read({ bucket, name: key })
  if (reading === null) return null
  const { head } = reading
  if (isImage(head) && head.size <= maxImageBytes) return resizeTo(variant, head, reading, makers)
  reading.discard()
  if (!isImage(head)) return null
  const reason = `it has ${head.size} bytes`
  const isUndecodable = isSizable(essenceOf(typeOf(head)))
  return { head, why: 'not resizable', lasting: 'for this version', reason, isUndecodable }
}

async function resizeTo(
  { width, formatsFor }: Variant,
  head: ObjectHead,
  image: { readonly isGivenAway?: boolean; chunks(): AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
  { resizer, needsLook }: Pick<Makers, 'resizer' | 'needsLook'>,
): Promise<Made | Without> {
  const { first, all } = await withFirstBytes(image.chunks(), signatureBytes)
  try {
    const type = formatOf(first)
    if (type === null) return withoutSignature(head)
    const job = { type, width, formats: formatsFor(type), hasLook: await needsLook(head), length: head.size }
    const { bytes, look } = await resizer.resize(job, { ...all, isGivenAway: image.isGivenAway === true })
    // What decodes hostile images is not trusted.
    if (!job.formats.some((format) => format === formatOf(bytes)))
      throw new NotResizable('the result is of another type', 'for this version')
    return { head, bytes, look: look !== null && isLook(look) ? look : null }
  } catch (error) {
    if (!(error instanceof NotResizable)) throw error
    const { lasting, message: reason } = error
    return { head, why: 'not resizable', lasting, reason, isUndecodable: lasting === 'for this version' }
  } finally {
    // Of a stream that waits for its next chunk, the end would come only after that.
    all.return?.().catch(() => {})
  }
}

function withoutSignature(head: ObjectHead): Without {
  const type = essenceOf(typeOf(head))
  const why = type === 'image/svg+xml' ? 'as stored' : 'not resizable'
  const reason = 'its first bytes are of no type that can be resized'
  return { head, why, lasting: 'for this version', reason, isUndecodable: isSizable(type) }
}
