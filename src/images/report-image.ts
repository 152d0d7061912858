import type { Origin } from '../accounts/audit.ts'
import { roles } from '../accounts/roles.ts'
import { refuse } from '../http/refusal.ts'
import { errors } from './errors.ts'
import { actOnImage } from './image-act.ts'
import { parseKey } from './names.ts'
import type { ImageParts } from './parts.ts'
import type { Reports } from './reports.ts'

/** Where to look up an image: the catalogue may not have it yet. */
export type KnownImages = Pick<ImageParts, 'kinds' | 'catalogue' | 'store' | 'bucket'>

/** Finds hidden images too. */
export async function findImage(
  { kinds, catalogue, store, bucket }: KnownImages,
  name: string,
): Promise<{ readonly etag: string } | null> {
  const image = parseKey(kinds, name)
  if (image === null) return null
  const head = catalogue.find(image.kind, image.filename) ?? (await store.head({ bucket, name }))
  return head !== null && head.size > 0 ? head : null
}

/** Does not hide the image: a moderator decides. */
export async function reportImage(
  deps: KnownImages & { readonly reports: Pick<Reports, 'add'> },
  by: Origin,
  { name, reason }: { readonly name: string; readonly reason: string },
): Promise<void> {
  if (parseKey(deps.kinds, name) === null) refuse(errors.imageNotFound)
  const act = actOnImage(deps, by, name, roles)
  const { etag } = (await findImage(deps, name)) ?? refuse(errors.imageNotFound)
  const added = await deps.reports.add(act, { name, etag }, reason)
  if (added === 'hidden') refuse(errors.imageNotFound)
  if (added === 'repeated') refuse(errors.alreadyReported)
}
