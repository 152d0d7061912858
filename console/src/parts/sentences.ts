import { usernameRule } from './username-rule.ts'

/** What the service says to programs, for people. */
export const sentences: Readonly<Record<string, string>> = {
  'Invalid or revoked access token': 'Your sign-in has ended. Sign in again to go on.',
  'Invalid credentials': 'The username or the password is wrong.',
  'Access token is required': 'Sign in first.',
  'You do not have permission to access this resource': 'Your role does not allow this.',
  'Too many requests from this IP, please try again later.':
    'Too many requests, or too many failed sign-ins, from your address or by this name.',
  'Service is temporarily unavailable, please try again': 'The service cannot do this at the moment.',
  'User is banned': 'This account is banned. An administrator of this service can say why.',
  'Content-Type must be an image/* mime type': 'This is not an image.',
  'until must be an ISO 8601 timestamp in the future': 'The end must be in the future.',
  'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now':
    'The end must be in the future, and at most 31 days from now.',
  'until must be after from, and in the future': 'The end must be after the start, and in the future.',
  'until must be after from, in the future, and at most 31 days after from':
    'The end must be after the start, in the future, and at most 31 days after the start.',
  'tz must be an IANA time zone such as Europe/Berlin, with a schedule': 'There is no time zone of this name.',
  'from must not be after to': 'The start must not be after the end.',
  'durationSeconds must be a whole number from 60 to 604800, and no longer than the time between two runs of schedule':
    'Minutes must be a whole number from 1 to 10,080, and no longer than the time between two runs of the schedule.',
  'bucketName is not a valid bucket name': 'No bucket can have this name.',
  'objectName is not a valid object name': 'No image can have this name.',
  'Not Found - POST /console/owner':
    'The form is closed, after 5 wrong codes or 30 minutes. Start the service again for a new code, or create the owner by the command line tool.',
  'Status worker is unavailable': 'The status worker does not answer. See whether it runs, and what its log says.',
  'Image not found': 'The image was deleted, moved or hidden meanwhile.',
  'to must be <kind>/<file name>, other than name': 'Choose another kind, or another file name.',
  'Object not found': 'The image was deleted or moved meanwhile.',
  'Incident is resolved':
    'The incident is resolved by now. To add what you wrote, copy it, and write a postmortem of the incident.',
  'Internal Server Error':
    'Something went wrong in the service. Its log has the cause, under the number of this request.',
}

/** Fields of the API, as the forms name them. */
export const fieldNames: Readonly<Record<string, string>> = {
  alt: 'The alternative text',
  artist: 'The artist',
  components: 'Components',
  expectWithinSeconds: 'The timeout in seconds',
  from: 'The start',
  graceSeconds: 'The grace period in seconds',
  license: 'The license',
  limitPerMinute: 'Requests per minute',
  maxRunSeconds: 'The longest run in seconds',
  name: 'The name',
  q: 'The search',
  reason: 'The reason',
  schedule: 'The schedule',
  source: 'The source',
  tags: 'The tags',
  text: 'The text',
  title: 'The title',
  tz: 'The time zone',
  username: 'The username',
  without: 'The tags that are left out',
}

const decisions: Readonly<Record<string, string>> = { keep: 'kept', hide: 'hidden', delete: 'deleted' }

/** What is wrong with a field, which has the name that the forms have. */
export const withFieldNames = (text: string): string =>
  text.replace(/^\w+(?= must )/, (name) => fieldNames[name] ?? name).replace(' must be a string of ', ' must have ')

/** For people what the service says to programs; as it is if it was written for people. */
export function sentenceOf(text: string): string {
  if (text.startsWith('Unable to sanitize username')) return `A username has ${usernameRule}`
  const [, decision = ''] = text.match(/^Report was already resolved: (\w+)$/) ?? []
  if (decisions[decision]) return `Somebody has already ${decisions[decision]} this image.`
  return sentences[text] ?? withFieldNames(text)
}
