import type { Details, Origin } from '../../accounts/audit.ts'
import type { ImageSource } from '../image-source.ts'
import type { ObjectRef, ObjectStore } from '../object-store.ts'

export interface Records {
  /** Resolves once it is stored. One that cannot be stored now is stored later and does not fail the act. */
  done(by: Origin, act: { action: 'upload' | 'delete-object'; target: string; after: Details | null }): Promise<void>
}

/** What an upload and a delete need. */
export interface ChangeDeps {
  readonly store: ObjectStore
  readonly records: Records
  readonly source: Pick<ImageSource, 'recheck'>
}

/** Of valid names only: an audit target must be short and fit every database. */
export const targetOf = ({ bucket, name }: ObjectRef) => `${bucket}/${name}`
