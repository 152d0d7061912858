import { signedIn } from '../accounts/access.ts'
import { notModified, type ReplySpec } from '../http/route.ts'
import { errors } from './errors.ts'
import { locationSpec } from './served.ts'

/** Of the routes for choosing and listing images. */
export const forUsers = {
  access: signedIn,
  envelope: 'message',
  limit: null,
  counts: 'images',
  audit: null,
  keyScope: 'images',
} as const

/** What every route that serves images may return in addition to its 200. */
export const imageReplies: readonly ReplySpec[] = [
  { status: 206, type: '*/*', description: 'The requested range' },
  notModified,
]

/** The same for a random image. */
export const drawnReplies: readonly ReplySpec[] = imageReplies.map((each) => ({ ...each, headers: locationSpec }))

export const imageErrors = [errors.imageNotFound, errors.preconditionFailed, errors.rangeNotSatisfiable]
