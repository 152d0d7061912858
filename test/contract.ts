import type { Envelope } from '../src/http/refusal.ts'

/* The contract's tables, typed once more by hand from interface.md and decisions.md. Nothing in src reads this. */

export interface ContractRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Of the first reply. */
  readonly success: number
  /** Other statuses that are replies and no refusals. */
  readonly also?: readonly number[]
  /** Where the answer is no JSON. */
  readonly type?: string
  readonly refusals: readonly ContractRefusal[]
}

export type ContractRefusal = readonly [status: number, envelope: Envelope, message: string]

/** Never a 401, which would make clients drop good tokens. Register has its own 500 for this. */
const databaseAway: ContractRefusal = [503, 'status', 'Service is temporarily unavailable, please try again']

const guarded: readonly ContractRefusal[] = [
  [401, 'status', 'Access token is required'],
  [401, 'status', 'Invalid or revoked access token'],
  [403, 'status', 'User is banned'],
  databaseAway,
]

const bodyIn = (envelope: Envelope): readonly ContractRefusal[] => [
  [400, envelope, 'Request body is not valid JSON'],
  [408, envelope, 'Request was not received in time'],
  [413, envelope, 'Request body is too large'],
  [415, envelope, 'Content-Type must be application/json'],
  [415, envelope, 'Content-Encoding is not supported'],
]

const body = bodyIn('error')

const credentials: readonly ContractRefusal[] = [
  [400, 'error', 'Username is required'],
  [400, 'error', 'Password is required'],
  [400, 'error', 'Unable to sanitize username. Please try again later or report this to the maintainer.'],
]

const shortPassword: ContractRefusal = [400, 'error', 'Password must be at least 8 characters and at most 1024 bytes']
const manyLogins: ContractRefusal = [503, 'status', 'Too many logins at the moment, please try again']

const usernameFormat =
  'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot'

const forbidden: ContractRefusal = [403, 'status', 'You do not have permission to access this resource']
const restricted: readonly ContractRefusal[] = [...guarded, forbidden]

const named: readonly ContractRefusal[] = [
  [400, 'status', 'userId or username is required'],
  [404, 'status', 'User not found'],
]

/** Of every admin route that changes a user. */
const act: readonly ContractRefusal[] = [...restricted, ...bodyIn('status'), ...named]
const dryRun: readonly ContractRefusal[] = [
  [400, 'status', 'dryRun must be true or false'],
  [400, 'status', 'Unknown parameter: <PARAMETER>; for a dry run, send dryRun=true'],
  [400, 'status', 'dryRun belongs in the query, not in the body'],
]

const limit: ContractRefusal = [400, 'status', 'limit must be a whole number from 1 to 500']
const cursor: ContractRefusal = [
  400,
  'status',
  'cursor must be the `next` value of a previous response, with the same sort',
]
const unknownParameter: ContractRefusal = [400, 'status', 'Unknown parameter: <PARAMETER>']
const notEmpty = (...names: string[]) =>
  names.map((name): ContractRefusal => [400, 'status', `${name} must not be empty`])
const page: readonly ContractRefusal[] = [
  unknownParameter,
  limit,
  cursor,
  [400, 'status', 'role must be one of user, support, moderator, admin, owner'],
  [400, 'status', 'banned must be true or false'],
  [400, 'status', 'sort must be createdAt, username or total, with - in front for descending'],
]
const period: readonly ContractRefusal[] = [
  [400, 'status', 'from must be a date (2026-01-31) or an ISO 8601 timestamp'],
  [400, 'status', 'to must be a date (2026-01-31) or an ISO 8601 timestamp'],
  [400, 'status', 'from must not be after to'],
]

const audited =
  'register, create, delete, login, logout, password, ban, unban, role, rename, revoke-token, upload, delete-object, ban.read, user.read, users.read, usage.read, audit.read, audit.missing, store.test'

export const kinds = ['fox', 'bird', 'shibe', 'weiner-dog', 'slap', 'hug', 'kiss', 'smug', 'pat'] as const
export const titles = ['Fox', 'Bird', 'Shibe', 'Weiner-dog', 'Slap', 'Hug', 'Kiss', 'Smug', 'Pat'] as const
const nameMissing: ContractRefusal = [500, 'message', '<KIND> image name missing']

const random: readonly ContractRefusal[] = [
  ...guarded,
  nameMissing,
  [400, 'message', 'count must be a whole number from 1 to 30'],
  [400, 'message', 'as must be one of json, redirect, bytes, text'],
  [400, 'message', 'count cannot be combined with as=redirect or as=bytes'],
  [404, 'message', 'Image not found'],
  [412, 'message', 'Precondition failed'],
  [416, 'message', 'Range not satisfiable'],
]
const alsoOfAnImage = [206, 304]

const ofKinds = kinds.flatMap((kind): ContractRoute[] => [
  {
    method: 'GET',
    path: `/images/${kind}/random`,
    success: 200,
    also: [302, ...alsoOfAnImage],
    refusals: [...random, [404, 'message', 'No <KIND> images found in bucket']],
  },
  {
    method: 'GET',
    path: `/images/${kind}`,
    success: 200,
    refusals: [
      ...guarded,
      nameMissing,
      [400, 'message', 'limit must be a whole number from 1 to 500'],
      [400, 'message', 'cursor must be the `next` value of a previous response'],
    ],
  },
])

export const contract: readonly ContractRoute[] = [
  { method: 'GET', path: '/', success: 200, refusals: [] },
  { method: 'GET', path: '/health', success: 200, refusals: [] },
  { method: 'GET', path: '/docs', success: 200, also: [304], type: 'text/html', refusals: [] },
  { method: 'GET', path: '/docs.md', success: 200, also: [304], type: 'text/markdown', refusals: [] },
  {
    method: 'POST',
    path: '/auth/register',
    success: 201,
    refusals: [
      ...body,
      ...credentials,
      shortPassword,
      [403, 'error', 'Registration is closed'],
      [409, 'error', 'Username already exists'],
      [500, 'error', 'Could not register user'],
      manyLogins,
    ],
  },
  {
    method: 'POST',
    path: '/auth/login',
    success: 200,
    refusals: [
      ...body,
      ...credentials,
      [401, 'error', 'Invalid credentials'],
      [403, 'error', 'User is banned'],
      databaseAway,
      manyLogins,
    ],
  },

  {
    method: 'POST',
    path: '/admin/ban',
    success: 200,
    refusals: [
      ...act,
      ...dryRun,
      [400, 'status', 'You cannot ban yourself'],
      [403, 'status', 'You do not have permission to ban this user'],
      [400, 'status', 'User is already banned'],
      [400, 'status', 'reason must be a string of at most 500 characters'],
      [400, 'status', 'until must be an ISO 8601 timestamp in the future'],
      [500, 'status', 'Failed to ban user'],
    ],
  },
  { method: 'GET', path: '/admin/user/search', success: 200, refusals: [...restricted, ...named] },
  { method: 'GET', path: '/admin/users', success: 200, refusals: [...restricted, ...page] },
  { method: 'GET', path: '/admin/users/dashboard', success: 200, refusals: [...restricted, ...page] },
  {
    method: 'POST',
    path: '/admin/user/edit/role',
    success: 200,
    refusals: [
      ...act,
      ...dryRun,
      [400, 'status', 'role is required and must be a string'],
      [400, 'status', 'Invalid role provided'],
      [400, 'status', 'You cannot change your own role'],
      [403, 'status', "You do not have permission to change this user's role"],
      [500, 'status', 'Failed to update user role'],
    ],
  },
  {
    method: 'POST',
    path: '/admin/user/edit/username',
    success: 200,
    refusals: [
      ...act,
      ...dryRun,
      [400, 'status', 'newUsername is required'],
      [400, 'status', usernameFormat],
      [400, 'status', 'You cannot change your own username'],
      [403, 'status', "You do not have permission to change this user's username"],
      [409, 'status', 'Username already exists'],
      [500, 'status', 'Failed to update user username'],
    ],
  },

  // Beside the contract: decisions.md §7, issue 3.
  {
    method: 'POST',
    path: '/admin/unban',
    success: 200,
    refusals: [
      ...act,
      ...dryRun,
      [400, 'status', 'You cannot unban yourself'],
      [403, 'status', 'You do not have permission to unban this user'],
      [400, 'status', 'User is not banned'],
    ],
  },
  {
    method: 'POST',
    path: '/admin/user/revoke-token',
    success: 200,
    refusals: [
      ...act,
      ...dryRun,
      [400, 'status', 'You cannot sign yourself out here; use /auth/logout'],
      [403, 'status', 'You do not have permission to sign this user out'],
    ],
  },
  {
    method: 'POST',
    path: '/admin/user/delete',
    success: 200,
    refusals: [
      ...act,
      ...dryRun,
      [400, 'status', 'You cannot delete yourself here; use /auth/delete'],
      [403, 'status', 'You do not have permission to delete this user'],
    ],
  },
  {
    method: 'POST',
    path: '/admin/user/create',
    success: 200,
    refusals: [
      ...restricted,
      ...bodyIn('status'),
      ...dryRun,
      [400, 'status', 'username is required'],
      [400, 'status', 'role is required and must be a string'],
      [400, 'status', usernameFormat],
      [400, 'status', 'Invalid role provided'],
      [400, 'status', shortPassword[2]],
      [403, 'status', 'You do not have permission to create a user with this role'],
      [409, 'status', 'Username already exists'],
      manyLogins,
    ],
  },
  { method: 'GET', path: '/admin/user/ban', success: 200, refusals: [...restricted, ...named] },
  {
    method: 'GET',
    path: '/admin/usage',
    success: 200,
    refusals: [
      ...restricted,
      unknownParameter,
      ...notEmpty('userId', 'username'),
      ...period,
      [404, 'status', 'User not found'],
    ],
  },
  {
    method: 'GET',
    path: '/admin/audit',
    success: 200,
    refusals: [
      ...restricted,
      unknownParameter,
      ...notEmpty('actor', 'target'),
      limit,
      cursor,
      ...period,
      [400, 'status', `action must be one of ${audited}`],
    ],
  },

  {
    method: 'GET',
    path: '/admin/s3/test',
    success: 200,
    refusals: [
      ...restricted,
      ...bodyIn('status'),
      [400, 'status', 'bucketExists must be a string'],
      [503, 'status', 'Object store is not reachable'],
    ],
  },
  {
    method: 'POST',
    path: '/admin/s3/upload',
    success: 200,
    refusals: [
      ...restricted,
      [400, 'status', 'bucketName, objectName and path query params are required'],
      [400, 'status', 'Content-Type must be an image/* mime type'],
      [400, 'status', 'bucketName is not a valid bucket name'],
      [400, 'status', 'objectName is not a valid object name'],
      [400, 'status', 'Request body must contain image bytes'],
      [400, 'status', 'The body is not a <TYPE> image'],
      [404, 'status', 'Bucket not found'],
      [408, 'status', 'Request was not received in time'],
      [413, 'status', 'Request body is too large'],
      [415, 'status', 'Content-Encoding is not supported'],
      [500, 'status', 'Error uploading object'],
    ],
  },
  {
    method: 'DELETE',
    path: '/admin/s3/delete',
    success: 200,
    refusals: [
      ...restricted,
      ...bodyIn('status'),
      [400, 'status', 'bucketName and either objectName or etag are required'],
      [400, 'status', 'objectName is not a valid object name'],
      [404, 'status', 'Object not found'],
      [409, 'status', 'More than one object has this etag'],
      [500, 'status', 'Error deleting object'],
    ],
  },
  ...ofKinds,
  {
    method: 'GET',
    path: '/i/:folder/:filename',
    success: 200,
    also: alsoOfAnImage,
    type: '*/*',
    refusals: [
      [404, 'status', 'Image not found'],
      [412, 'status', 'Precondition failed'],
      [416, 'status', 'Range not satisfiable'],
    ],
  },

  // Beside the contract: issue 4.
  { method: 'GET', path: '/images', success: 200, refusals: guarded },
  {
    method: 'GET',
    path: '/images/random',
    success: 200,
    also: [302, ...alsoOfAnImage],
    refusals: [
      ...random,
      [404, 'message', 'No images found in bucket'],
      [400, 'message', `kinds must be a list of ${kinds.join(', ')}`],
    ],
  },

  // Beside the contract: decisions.md §2, issue 2.
  { method: 'GET', path: '/auth/me', success: 200, refusals: guarded },
  { method: 'POST', path: '/auth/logout', success: 200, refusals: guarded },
  {
    method: 'POST',
    path: '/auth/password',
    success: 200,
    refusals: [
      ...guarded,
      ...body,
      [400, 'error', 'currentPassword is required'],
      [400, 'error', 'newPassword is required'],
      shortPassword,
      [401, 'error', 'Invalid credentials'],
      manyLogins,
    ],
  },
  {
    method: 'POST',
    path: '/auth/delete',
    success: 200,
    refusals: [
      ...guarded,
      ...body,
      [400, 'error', 'Password is required'],
      [400, 'error', 'The last owner cannot be deleted'],
      [401, 'error', 'Invalid credentials'],
      manyLogins,
    ],
  },
  { method: 'GET', path: '/ready', success: 200, also: [503], refusals: [] },
  { method: 'GET', path: '/openapi.json', success: 200, also: [304], type: 'application/json', refusals: [] },
  {
    method: 'GET',
    path: '/metrics',
    success: 200,
    type: 'text/plain',
    refusals: [
      [403, 'status', 'Metrics are only available to the networks of METRICS_ALLOW'],
      [403, 'status', 'This host name is not allowed: use an IP address, or add it to ALLOWED_HOSTS'],
    ],
  },
  { method: 'GET', path: '/docs.js', success: 200, also: [304], type: 'text/javascript', refusals: [] },
  { method: 'GET', path: '/docs.css', success: 200, also: [304], type: 'text/css', refusals: [] },
  { method: 'GET', path: '/docs.svg', success: 200, also: [304], type: 'image/svg+xml', refusals: [] },
]

const standingBy: ContractRefusal = [503, 'ok', 'Standing by: this worker is not the leader']
const unknownComponent: ContractRefusal = [404, 'ok', 'Unknown component']
const notSaved: ContractRefusal = [503, 'ok', 'State could not be saved, please try again']
const badPage: readonly ContractRefusal[] = [
  [400, 'ok', 'limit must be a whole number from 1 to 500'],
  [400, 'ok', 'cursor must be the `next` value of a previous response'],
]

const badStatus: ContractRefusal = [
  400,
  'ok',
  'status must be one of operational, degraded, partial, outage, maintenance',
]
const badTerms: readonly ContractRefusal[] = [
  [400, 'ok', 'expectWithinSeconds must be a whole number from 10 to 2678400'],
  [400, 'ok', 'graceSeconds must be a whole number from 0 to 2678400'],
  [400, 'ok', 'message must be a string of at most 500 characters'],
  [
    400,
    'ok',
    'instance must be 1 to 64 letters, digits, dots, underscores and hyphens, and start with a letter or digit',
  ],
]

const badDays: ContractRefusal = [400, 'ok', 'days must be a whole number from 1 to 400']
const unknownMaintenance: ContractRefusal = [404, 'ok', 'Unknown maintenance']
const maintenanceOver: ContractRefusal = [409, 'ok', 'Maintenance is over']
const badMaintenance: readonly ContractRefusal[] = [
  ...bodyIn('ok').filter(([, , message]) => message !== 'Request body is not valid JSON'),
  [400, 'ok', 'Malformed JSON'],
  [400, 'ok', 'components must be a list of 1 to 1000 component ids'],
  [400, 'ok', 'from and until must be ISO 8601 timestamps with a time zone'],
  [400, 'ok', 'until must be after from, in the future, and at most 31 days after from'],
  [400, 'ok', 'text must be a string of at most 500 characters'],
]

export const workerContract: readonly ContractRoute[] = [
  { method: 'GET', path: '/openapi.json', success: 200, also: [304], type: 'application/json', refusals: [] },
  {
    method: 'POST',
    path: '/heartbeat/:componentId',
    success: 200,
    refusals: [
      ...bodyIn('ok').filter(([, , message]) => message !== 'Request body is not valid JSON'),
      [400, 'ok', 'Malformed JSON'],
      [400, 'ok', 'Invalid component id'],
      badStatus,
      ...badTerms,
      [429, 'ok', 'Component limit reached'],
      notSaved,
      standingBy,
    ],
  },
  { method: 'GET', path: '/health', success: 200, refusals: [standingBy] },
  { method: 'GET', path: '/health/:componentId', success: 200, refusals: [unknownComponent, standingBy] },
  { method: 'GET', path: '/diag', success: 200, refusals: [] },

  // Beside the contract: decisions.md §6, issues 6 and 17.
  {
    method: 'POST',
    path: '/heartbeat/:componentId/:status',
    success: 200,
    refusals: [
      [400, 'ok', 'Invalid component id'],
      badStatus,
      ...badTerms,
      [429, 'ok', 'Component limit reached'],
      notSaved,
      standingBy,
    ],
  },
  {
    method: 'GET',
    path: '/heartbeat/:componentId/:status',
    success: 200,
    refusals: [
      [400, 'ok', 'Invalid component id'],
      badStatus,
      ...badTerms,
      [403, 'ok', 'Forbidden'],
      [404, 'ok', 'Not found'],
      unknownComponent,
      notSaved,
      standingBy,
    ],
  },
  { method: 'GET', path: '/livez', success: 200, refusals: [] },
  {
    method: 'GET',
    path: '/incidents',
    success: 200,
    refusals: [...badPage, [400, 'ok', 'open must be true or false'], standingBy],
  },
  { method: 'GET', path: '/history/:componentId', success: 200, refusals: [...badPage, unknownComponent, standingBy] },
  { method: 'GET', path: '/components', success: 200, refusals: [standingBy] },
  { method: 'GET', path: '/uptime', success: 200, refusals: [badDays, standingBy] },
  { method: 'GET', path: '/uptime/:componentId', success: 200, refusals: [badDays, unknownComponent, standingBy] },
  {
    method: 'GET',
    path: '/maintenance',
    success: 200,
    refusals: [[400, 'ok', 'state must be planned, active or over'], standingBy],
  },
  {
    method: 'POST',
    path: '/maintenance',
    success: 201,
    refusals: [...badMaintenance, [429, 'ok', 'Maintenance limit reached'], notSaved, standingBy],
  },
  {
    method: 'PUT',
    path: '/maintenance/:maintenanceId',
    success: 200,
    refusals: [...badMaintenance, unknownMaintenance, maintenanceOver, notSaved, standingBy],
  },
  {
    method: 'DELETE',
    path: '/maintenance/:maintenanceId',
    success: 200,
    refusals: [unknownMaintenance, maintenanceOver, notSaved, standingBy],
  },
  {
    method: 'DELETE',
    path: '/components/:componentId',
    success: 200,
    refusals: [
      [400, 'ok', 'publish must be operational, maintenance or nothing'],
      unknownComponent,
      notSaved,
      standingBy,
    ],
  },
  { method: 'GET', path: '/metrics', success: 200, type: 'text/plain', refusals: [] },
]
