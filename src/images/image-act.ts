import type { LockedAccount } from '../accounts/access.ts'
import type { Origin } from '../accounts/audit.ts'

/** Who changes what the database says about images. `check` gets the locked account, and throws to refuse. */
export interface ImageAct {
  readonly by: Origin
  /** For the audit. */
  targetOf(name: string): string
  check(actor: LockedAccount): void
}
