import { notModified, type ReplySpec } from '../http/route.ts'
import { errors } from './errors.ts'
import { locationSpec } from './served.ts'

/** What every route that serves images may return in addition to its 200. */
export const imageReplies: readonly ReplySpec[] = [
  { status: 206, type: '*/*', description: 'The requested range' },
  notModified,
]

/** The same for a random image. */
export const drawnReplies: readonly ReplySpec[] = imageReplies.map((each) => ({ ...each, headers: locationSpec }))

export const imageErrors = [errors.imageNotFound, errors.preconditionFailed, errors.rangeNotSatisfiable]
