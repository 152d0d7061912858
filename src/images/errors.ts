import type { Refusal } from '../http/refusal.ts'
import { detailNames, maxLengths } from './details/details.ts'
import { badPer, badZone } from './period.ts'
import { reportActions } from './reports.ts'
import { orientations } from './shapes/choices.ts'
import { badTags } from './tags.ts'

/** Max images in a random reply. */
export const maxCount = 30
/** Max images on a page of a list. */
export const maxPageSize = 500
/** Max characters of `q`. */
export const maxQuery = 200

export const maxReasonLength = 500

const badText = (name: string, maxLength: number) => ({
  status: 400 as const,
  message: `${name} must be a string of 1 to ${maxLength} characters without line breaks and other control characters, or null`,
})

export const errors = {
  noneOfKind: { status: 404, message: 'No <KIND> images found in bucket' },
  nameMissing: {
    status: 500,
    message: '<KIND> image name missing',
    when: 'a listed image has no usable name; the kind is capitalised, such as `Fox`',
  },
  none: { status: 404, message: 'No images found in bucket' },
  noneOfKindMatch: {
    status: 404,
    message: 'No <KIND> images match',
    when: 'the kind has images, but the filters match none',
  },
  noneMatch: { status: 404, message: 'No images match', when: 'the kinds have images, but the filters match none' },
  stillReading: {
    status: 503,
    message: 'Images are still being read, please try again',
    envelope: 'status',
    headers: { 'Retry-After': '2' },
    when: 'the filters match none of the images read so far; others are being read',
  },
  badKinds: { status: 400, message: 'kinds must be a list of <KINDS>' },
  badCount: { status: 400, message: `count must be a whole number from 1 to ${maxCount}` },
  badAs: { status: 400, message: 'as must be one of json, redirect, bytes, text' },
  badEmbedAs: { status: 400, message: 'as must be one of bytes, redirect, json' },
  badOrientation: { status: 400, message: `orientation must be one of ${orientations.join(', ')}` },
  badAnimated: { status: 400, message: 'animated must be true or false' },
  badMinWidth: { status: 400, message: 'minWidth must be a whole number' },
  badMinHeight: { status: 400, message: 'minHeight must be a whole number' },
  badTags: badTags('tags'),
  badWithout: badTags('without'),
  badMeta: { status: 400, message: 'meta must be 0 or 1' },
  onlyOne: { status: 400, message: 'count cannot be combined with as=redirect or as=bytes' },
  badRepeat: { status: 400, message: 'repeat must be one of yes, no' },
  badPer,
  badTz: badZone,
  perAlone: { status: 400, message: 'per cannot be combined with seed, count or repeat' },
  seededRepeat: { status: 400, message: 'seed cannot be combined with repeat=no' },
  badLimit: { status: 400, message: `limit must be a whole number from 1 to ${maxPageSize}` },
  badMd5: { status: 400, message: 'md5 must be 32 hexadecimal digits' },
  badQuery: { status: 400, message: `q must have at most ${maxQuery} characters` },
  badSort: { status: 400, message: 'sort must be one of name, newest' },
  badCursor: { status: 400, message: 'cursor must be the `next` value of a previous response' },

  imageNotFound: { status: 404, message: 'Image not found' },
  badWidth: { status: 400, message: 'w must be a whole number of at least 1' },
  badFormat: { status: 400, message: 'format must be one of auto, avif, jpeg, png, webp' },
  notResizable: {
    status: 422,
    message: 'The image cannot be resized',
    envelope: 'status',
    when: 'with `w` or `format`: the bytes are not a JPEG, PNG, GIF, WebP or AVIF image, are damaged, or take too much time or memory',
  },
  resizerBusy: {
    status: 503,
    message: 'Too many images are being resized, please try again',
    envelope: 'status',
    headers: { 'Retry-After': '1' },
    when: 'with `w` or `format`: too many others wait for theirs',
  },

  preconditionFailed: { status: 412, message: 'Precondition failed' },
  rangeNotSatisfiable: { status: 416, message: 'Range not satisfiable', when: 'the range lies outside the image' },

  nameRequired: { status: 400, message: 'name is required' },
  reasonRequired: { status: 400, message: 'reason is required' },
  badReason: { status: 400, message: `reason must be a string of 1 to ${maxReasonLength} characters, not all spaces` },
  alreadyReported: { status: 409, message: 'You have already reported this image' },
  badState: { status: 400, message: 'state must be open or closed' },
  reportNotFound: { status: 404, message: 'Report not found' },
  actionRequired: { status: 400, message: 'action is required' },
  badAction: { status: 400, message: `action must be one of ${reportActions.join(', ')}` },
  cannotDelete: { status: 403, message: 'You do not have permission to delete images' },
  alreadyResolved: {
    status: 409,
    message: 'Report was already resolved: <ACTION>',
    when: 'another moderator resolved it first; the message ends with that action',
  },
  badAlt: badText('alt', maxLengths.alt),
  badTitle: badText('title', maxLengths.title),
  badArtist: badText('artist', maxLengths.artist),
  badSource: {
    status: 400,
    message: `source must be an http or https URL of at most ${maxLengths.source} characters, or null`,
  },
  badLicense: badText('license', maxLengths.license),
  detailsRequired: { status: 400, message: `At least one of ${detailNames.join(', ')} is required` },
  unknownDetail: {
    status: 400,
    message: `Unknown field: <PARAMETER>; expected ${detailNames.join(', ')}`,
    when: 'the body has a field that is not listed here',
  },
  notHidden: { status: 400, message: 'Image is not hidden' },
  alreadyHidden: { status: 409, message: 'Image is already hidden' },
  toRequired: { status: 400, message: 'to is required' },
  badTarget: {
    status: 400,
    message: 'to must be <kind>/<file name>, other than name',
    when: 'it is no name of an image here; `GET /images` lists the kinds',
  },
  nameTaken: { status: 409, message: 'Another image has this name' },
  imageReplaced: { status: 409, message: 'Image was replaced meanwhile' },

  uploadParams: { status: 400, message: 'bucketName, objectName and path query params are required' },
  notAnImage: { status: 400, message: 'Content-Type must be an image/* mime type' },
  badBucketName: { status: 400, message: 'bucketName is not a valid bucket name' },
  badObjectName: {
    status: 400,
    message: 'objectName is not a valid object name',
    when: 'it has an empty, `.` or `..` segment, a backslash or a control character, or exceeds 1,024 bytes',
  },
  otherType: {
    status: 400,
    message: 'The body is not an image of type <TYPE>',
    when: '`UPLOAD_CHECK_TYPE` is true; the type is that of the `Content-Type`, such as `image/png`',
  },
  notStrippable: {
    status: 400,
    message: 'The image is damaged; its metadata cannot be removed',
    when: '`UPLOAD_STRIP_METADATA` is true; the body begins as JPEG, PNG or WebP, but its structure is broken before the first pixels, or it has more than 10,000 segments',
  },
  emptyBody: { status: 400, message: 'Request body must contain image bytes' },
  bucketNotFound: { status: 404, message: 'Bucket not found' },
  deleteParams: { status: 400, message: 'bucketName and either objectName or etag are required' },
  objectNotFound: { status: 404, message: 'Object not found' },
  sharedEtag: { status: 409, message: 'More than one object has this etag' },
  badBucketExists: { status: 400, message: 'bucketExists must be a string' },
  storeAway: { status: 503, message: 'Object store is not reachable' },
} as const satisfies Record<string, Refusal>
