import { type LockedAccount, mustBeOneOf } from '../accounts/access.ts'
import type { Origin } from '../accounts/audit.ts'
import type { Role } from '../accounts/roles.ts'
import { targetOf } from './admin/records.ts'

/** Who changes what the database says about images. `check` gets the locked account, and throws to refuse. */
export interface ImageAct {
  readonly by: Origin
  /** For the audit. */
  targetOf(name: string): string
  check(actor: LockedAccount): void
}

export const imageActOf = (bucket: string, by: Origin, check: ImageAct['check']): ImageAct => ({
  by,
  check,
  targetOf: (name) => targetOf({ bucket, name }),
})

/** An act of these roles on this image, which is noted as its target. */
export function actOnImage(
  { bucket }: { readonly bucket: string },
  by: Origin,
  name: string,
  allowed: readonly Role[],
) {
  const act = imageActOf(bucket, by, (account) => void mustBeOneOf(allowed, account))
  by.noteTarget?.(act.targetOf(name))
  return act
}
