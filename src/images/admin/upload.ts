import type { Origin } from '../../accounts/audit.ts'
import type { BodyStream } from '../../http/body-stream.ts'
import { refuse } from '../../http/refusal.ts'
import { isIntact } from '../checksum.ts'
import { checkingEnd, EndCheck } from '../end-check.ts'
import { errors } from '../errors.ts'
import { beginsAsImage } from '../fault.ts'
import { isUnchanged, NoSuchBucket, type ObjectRef, type Stored, type Upload } from '../object-store.ts'
import { FirstBytes } from '../shapes/first-bytes.ts'
import type { ShapeReader } from '../shapes/shape-reader.ts'
import { type ChangeDeps, targetOf } from './records.ts'
import { type ContentDeps, contentOf } from './upload-content.ts'

export interface UploadDeps extends ChangeDeps, ContentDeps {
  readonly shapes: Pick<ShapeReader, 'learn'>
}

/** Streams the bytes to the store. An aborted upload leaves the old object or none. */
export async function upload(
  deps: UploadDeps,
  by: Origin,
  ref: ObjectRef,
  { type, body, signal }: Pick<Upload, 'type' | 'signal'> & { readonly body: BodyStream },
) {
  if (!(await deps.store.bucketExists(ref.bucket))) refuse(errors.bucketNotFound)
  await deps.records.ready()

  // Of what was sent: a file without its metadata is written anew.
  const end = new EndCheck()
  await using content = await contentOf(deps, { ...body, chunks: checkingEnd(end, body.chunks) }, type)
  const first = new FirstBytes()
  const broken: { reason?: unknown } = {}
  let stored: Stored
  try {
    stored = await deps.store.write({
      ...ref,
      type,
      size: content.size,
      body: first.of(noting(content.chunks, broken)),
      isGivenAway: true,
      signal,
    })
  } catch (error) {
    // The store may have it even though its response was lost.
    if (!isUnchanged(error)) void deps.source.recheck(ref, 'keep')
    if ('reason' in broken) throw broken.reason
    if (error instanceof NoSuchBucket) refuse(errors.bucketNotFound)
    throw error
  }
  if (!isIntact(stored)) await takeBack(deps, ref, stored)
  await deps.source.recheck(ref, 'keep')
  const { etag, versionId } = stored
  await deps.shapes.learn(ref, etag, first)
  await deps.records.done(by, { action: 'upload', target: targetOf(ref), after: { etag, type, versionId } })
  return { ...stored, metadata: content.metadata, isImage: beginsAsImage(first.bytes), isCutOff: end.isCutOff }
}

/** Removes an object that differs from what was sent. */
async function takeBack({ store, source }: ChangeDeps, ref: ObjectRef, { etag, md5 }: Stored): Promise<never> {
  try {
    await store.remove(ref)
  } finally {
    void source.recheck(ref, 'keep')
  }
  throw new Error(`the store returned the ETag ${etag} for bytes with the MD5 ${md5}`)
}

/** Keeps the client's own error, which the store may have wrapped. */
async function* noting(chunks: AsyncIterable<Buffer>, broken: { reason?: unknown }): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    broken.reason = error
    throw error
  }
}
