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
import type { ModerationDeps } from './resolve-report.ts'

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
  const { store, bucket, kinds, hidden, source, details, reports } = deps
  if (parseKey(kinds, name) === null || hidden.has(name)) refuse(errors.imageNotFound)
  if (parseKey(kinds, to) === null || to === name) refuse(errors.badTarget)
  const act = actOnImage(deps, by, name, permitted.administer)
  const copy = { bucket, name: to }
  if (hidden.has(to) || (await store.head(copy, signal)) !== null) refuse(errors.nameTaken)
  const original = (await store.read({ bucket, name }, signal)) ?? refuse(errors.imageNotFound)
  const { etag, size, type } = original.head
  try {
    const stored = await store.write({
      ...copy,
      type: type ?? 'application/octet-stream',
      size,
      body: original.chunks(),
      signal,
    })
    if (!isIntact(stored) || (await store.head(copy, signal))?.size !== size)
      throw new Error(`the copy of ${name} differs from it`)
  } catch (error) {
    await store.remove(copy).catch(() => {})
    await source.recheck(copy, 'keep')
    throw error
  }
  await source.recheck(copy, 'keep')
  const values = (await details.find([name])).get(name)
  if (values) await details.change(act, [{ name: to, values }])
  await reports.move(act, name, to)
  const removed = { bucketName: bucket, objectName: name, etag: undefined }
  await removeObject(deps, by, removed, { 'if-match': `"${etag}"` }, { movedTo: to })
}
