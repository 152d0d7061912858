import type { RequestHeaders } from '../../http/conditional-requests.ts'
import { matchesIfNoneMatch, mayProceed } from '../../http/conditional-requests.ts'
import { refuse } from '../../http/refusal.ts'
import { errors } from '../errors.ts'
import type { ObjectRef, ObjectStore } from '../object-store.ts'

/**
 * Refuses to change an object that does not meet `If-Match` or `If-None-Match`. Two truly concurrent changes may both
 * pass: not every S3 server supports conditional writes.
 */
export async function checkPrecondition(store: Pick<ObjectStore, 'head'>, ref: ObjectRef, headers: RequestHeaders) {
  if (headers['if-match'] === undefined && headers['if-none-match'] === undefined) return
  const head = await store.head(ref)
  const holds = head
    ? mayProceed(headers, head) && !matchesIfNoneMatch(headers, head.etag)
    : headers['if-match'] === undefined
  if (!holds) refuse(errors.preconditionFailed)
}
