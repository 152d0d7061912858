import type { Details, Origin } from '../../accounts/audit.ts'
import type { KnownDetails } from '../details/known-details.ts'
import type { ImageSource } from '../image-source.ts'
import type { ObjectRef, ObjectStore } from '../object-store.ts'

export interface Records {
  /** Throws Unavailable if no record can be stored, and so nothing may be done that needs one. */
  ready(): Promise<void>
  /** Resolves once the record is stored. If that is impossible now, it is stored later and does not fail the act. */
  done(by: Origin, act: { action: 'upload' | 'delete-object'; target: string; after: Details | null }): Promise<void>
}

/** What an upload and a delete need. */
export interface ChangeDeps {
  readonly store: ObjectStore
  readonly records: Records
  readonly source: Pick<ImageSource, 'recheck'>
  readonly details: Pick<KnownDetails, 'end'>
}

/** For valid names only: an audit target must be short and fit every database. */
export const targetOf = ({ bucket, name }: ObjectRef) => `${bucket}/${name}`
