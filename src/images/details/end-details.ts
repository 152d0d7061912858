import type { Kinds } from '../kinds.ts'
import { parseKey } from '../names.ts'
import type { ObjectRef } from '../object-store.ts'
import type { DetailsStore } from './details-store.ts'

export interface EndDetailsDeps {
  readonly store: Pick<DetailsStore, 'end'>
  readonly bucket: string
  readonly kinds: Kinds
}

/** Removes the details of a deleted object. False if it had none, or is no image of this service. */
export const endDetails = async ({ store, bucket, kinds }: EndDetailsDeps, ref: ObjectRef): Promise<boolean> =>
  ref.bucket === bucket && parseKey(kinds, ref.name) !== null && (await store.end([ref.name])) > 0
