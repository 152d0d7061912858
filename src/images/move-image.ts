import type { Origin } from '../accounts/audit.ts'
import { permitted } from '../accounts/roles.ts'
import { refuse } from '../http/refusal.ts'
import { removeObject } from './admin/remove-object.ts'
import { isIntact } from './checksum.ts'
import type { KnownDetails } from './details/known-details.ts'
import { errors } from './errors.ts'
import type { HiddenImages } from './hidden-images.ts'
import { actOnImage } from './image-act.ts'
import { parseKey } from './names.ts'
import type { ObjectRef, Stored } from './object-store.ts'
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
  const { bucket, kinds, hidden, source, details, reports } = deps
  if (parseKey(kinds, name) === null || hidden.has(name)) refuse(errors.imageNotFound)
  if (parseKey(kinds, to) === null || to === name) refuse(errors.badTarget)
  const act = actOnImage(deps, by, name, permitted.administer)
  const copy = { bucket, name: to }
  const etag = await copyImage(deps, { bucket, name }, copy, signal)
  await source.recheck(copy, 'keep')
  const values = (await details.find([name])).get(name)
  if (values) await details.change(act, [{ name: to, values }])
  await reports.move(act, name, to)
  await mustStillBe(deps, { bucket, name }, etag)
  await removeObject(deps, by, { bucketName: bucket, objectName: name, etag: undefined }, {}, { movedTo: to })
  await reports.follow(name, to)
  await showHidden(deps)
}

/** Returns the ETag of what was copied. */
async function copyImage(deps: MoveDeps, from: ObjectRef, copy: ObjectRef, signal: AbortSignal): Promise<string> {
  const { store, hidden, source } = deps
  const original = (await store.read(from, signal)) ?? refuse(errors.imageNotFound)
  const { etag, size, type } = original.head
  let stored: Stored | null = null
  try {
    // As late as possible: not every S3 server has a write that replaces nothing.
    if (hidden.has(copy.name) || (await store.head(copy, signal)) !== null) {
      original.discard()
      refuse(errors.nameTaken)
    }
    stored = await store.write({
      ...copy,
      type: type ?? 'application/octet-stream',
      size,
      body: original.chunks(),
      signal,
    })
    const head = await store.head(copy, signal)
    if (head?.etag !== stored.etag) refuse(errors.nameTaken)
    if (!isIntact(stored) || head.size !== size) throw new Error(`the copy of ${from.name} differs from it`)
    await mustStillBe(deps, from, etag)
    return etag
  } catch (error) {
    // Never what somebody else has stored there meanwhile.
    const isOwn = stored !== null && (await store.head(copy).catch(() => null))?.etag === stored.etag
    if (isOwn) await store.remove(copy).catch(() => {})
    await source.recheck(copy, 'keep')
    throw error
  }
}

async function mustStillBe({ store }: MoveDeps, image: ObjectRef, etag: string): Promise<void> {
  if ((await store.head(image))?.etag !== etag) refuse(errors.imageReplaced)
}
