import type { Origin } from '../accounts/audit.ts'
import { permitted } from '../accounts/roles.ts'
import { refuse } from '../http/refusal.ts'
import { removeObject } from './admin/remove-object.ts'
import { isIntact } from './checksum.ts'
import type { KnownDetails } from './details/known-details.ts'
import { errors } from './errors.ts'
import type { HiddenImages } from './hidden-images.ts'
import { actOnImage, type ImageAct } from './image-act.ts'
import { parseKey } from './names.ts'
import { isUnchanged, type ObjectHead, type ObjectRef, type Stored } from './object-store.ts'
import { type ModerationDeps, showHidden } from './resolve-report.ts'

export interface MoveDeps extends ModerationDeps {
  readonly details: Pick<KnownDetails, 'find' | 'change' | 'end'>
  readonly hidden: Pick<HiddenImages, 'refresh' | 'has'>
}

/**
 * Copies the image, checks the copy, gives it the details and reports, and deletes the original: a crash in between
 * leaves both, never none.
 */
export async function moveImage(
  deps: MoveDeps,
  by: Origin,
  { name, to, signal }: { readonly name: string; readonly to: string; readonly signal: AbortSignal },
): Promise<void> {
  const { store, bucket, kinds, hidden, reports } = deps
  if (parseKey(kinds, name) === null || hidden.has(name)) refuse(errors.imageNotFound)
  if (parseKey(kinds, to) === null || to === name) refuse(errors.badTarget)
  const act = actOnImage(deps, by, name, permitted.administer)
  const image = { bucket, name }
  const copy = await copyImage(deps, image, to, signal)
  try {
    await checkCopy(deps, image, copy, signal)
    await describeCopy(deps, act, image, copy)
    mustStillBe(await store.head(image), copy)
  } catch (error) {
    await dropCopy(deps, copy)
    throw error
  }
  await reports.move(act, name, to)
  // What was deleted meanwhile must not stay under another name; of what was replaced, both stay.
  const last = await store.head(image)
  if (last === null) await dropCopy(deps, copy)
  mustStillBe(last, copy)
  await removeObject(deps, by, { bucketName: bucket, objectName: name, etag: undefined }, {}, { movedTo: to })
  await reports.follow(name, to)
  await showHidden(deps)
}

interface Copy extends ObjectRef {
  readonly original: ObjectHead
  readonly stored: Stored
}

async function copyImage(deps: MoveDeps, image: ObjectRef, to: string, signal: AbortSignal): Promise<Copy> {
  const { store, hidden, source } = deps
  const copy = { bucket: image.bucket, name: to }
  const reading = (await store.read(image, signal)) ?? refuse(errors.imageNotFound)
  try {
    // As late as possible: not every S3 server has a write that replaces nothing.
    if (hidden.has(to) || (await store.head(copy, signal)) !== null) refuse(errors.nameTaken)
  } catch (error) {
    reading.discard()
    throw error
  }
  const { head: original } = reading
  const type = original.type ?? 'application/octet-stream'
  try {
    const stored = await store.write({ ...copy, type, size: original.size, body: reading.chunks(), signal })
    return { ...copy, original, stored }
  } catch (error) {
    if (!isUnchanged(error)) await source.recheck(copy, 'keep')
    throw error
  }
}

async function checkCopy({ store }: MoveDeps, image: ObjectRef, copy: Copy, signal: AbortSignal): Promise<void> {
  const head = await store.head(copy, signal)
  if (head?.etag !== copy.stored.etag) refuse(errors.nameTaken)
  if (!isIntact(copy.stored) || head.size !== copy.original.size)
    throw new Error(`the copy of ${image.name} differs from it`)
}

async function describeCopy({ source, details }: MoveDeps, act: ImageAct, image: ObjectRef, copy: Copy): Promise<void> {
  await source.recheck(copy, 'keep')
  const values = (await details.find([image.name])).get(image.name)
  if (values) await details.change(act, [{ name: copy.name, values }])
}

function mustStillBe(head: ObjectHead | null, { original }: Copy): void {
  if (head === null) refuse(errors.imageNotFound)
  if (head.etag !== original.etag) refuse(errors.imageReplaced)
}

/** Never what somebody else has stored there meanwhile. */
async function dropCopy({ store, source, details, log }: MoveDeps, copy: Copy): Promise<void> {
  const { bucket, name, stored } = copy
  try {
    if ((await store.head(copy))?.etag !== stored.etag) return
    await store.remove(copy)
    await details.end({ bucket, name })
  } catch (error) {
    log.warn({ name, err: error }, 'could not remove the copy of an image that was not moved')
  }
  await source.recheck(copy, 'keep')
}
