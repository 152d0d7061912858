import type { Origin } from '../../accounts/audit.ts'
import type { ObjectRef } from '../object-store.ts'

/** What was done to an object, for those who keep the records. */
export interface ObjectAct {
  readonly action: 'upload' | 'delete-object'
  /** Bucket and name, as in a path. */
  readonly target: string
  readonly after: Readonly<Record<string, string | number | null>> | null
}

export interface Records {
  /** Resolves when it is kept; one that cannot be kept now is kept later, and does not fail the act. */
  done(by: Origin, act: ObjectAct): Promise<void>
}

/** Names that passed their grammar: what a record holds must be short, and fit every database. */
export const targetOf = ({ bucket, name }: ObjectRef) => `${bucket}/${name}`
