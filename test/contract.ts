import type { Envelope } from '../src/http/refusal.ts'

/* The contract's tables, typed again by hand from interface.md and decisions.md. Nothing in src reads this. */

export interface ContractRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Of the first reply. */
  readonly success: number
  /** Other statuses that are replies, not refusals. */
  readonly also?: readonly number[]
  /** The type of a reply that is not JSON. */
  readonly type?: string
  readonly refusals: readonly ContractRefusal[]
}

export type ContractRefusal = readonly [status: number, envelope: Envelope, message: string]

const route = (
  call: `${ContractRoute['method']} /${string}`,
  refusals: readonly ContractRefusal[] = [],
  more: Partial<ContractRoute> = {},
): ContractRoute => {
  const [method, path] = call.split(' ') as [ContractRoute['method'], string]
  return { method, path, success: 200, refusals, ...more }
}

/** Never a 401, which would make clients drop good tokens. Register says its own text with it. */
const databaseAway: ContractRefusal = [503, 'status', 'Service is temporarily unavailable, please try again']

const guarded: readonly ContractRefusal[] = [
  [401, 'status', 'Access token is required'],
  [401, 'status', 'Invalid or revoked access token'],
  [403, 'status', 'User is banned'],
  databaseAway,
]

/** How an API key is refused: without that scope, or always. */
const withKey = (scope: string): ContractRefusal => [403, 'status', `This API key lacks the scope ${scope}`]
const withoutKey: ContractRefusal = [403, 'status', 'API keys cannot be used here; sign in instead']

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

const otherSite: ContractRefusal = [
  403,
  'error',
  'This request was not sent by the console of this service; if it was, let the proxy pass the Host on, or set BASE_URL',
]

/** Beside the contract: issue 30, "Password again". */
const passwordAgainIn = (envelope: Envelope): readonly ContractRefusal[] => [
  [401, envelope, 'Invalid credentials'],
  [403, envelope, 'Sign in again or send your password'],
  manyLogins,
]

const usernameFormat =
  'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot'

const forbidden: ContractRefusal = [403, 'status', 'You do not have permission to access this resource']
const workerAway: ContractRefusal = [503, 'status', 'Status worker is unavailable']
const stateNotSaved: ContractRefusal = [503, 'status', 'State could not be saved, please try again']
const restricted: readonly ContractRefusal[] = [...guarded, forbidden]

const named: readonly ContractRefusal[] = [
  [400, 'status', 'userId or username is required'],
  [404, 'status', 'User not found'],
]

const badStage = 'stage must be one of investigating, identified, monitoring, resolved, postmortem'
const incidentRefusals = (envelope: Envelope): readonly ContractRefusal[] => [
  [404, envelope, 'Unknown incident'],
  [409, envelope, 'level and components can only be changed for incidents opened by hand'],
  [409, envelope, 'A postmortem follows the end of the incident'],
  [409, envelope, 'Incident is resolved'],
  [409, envelope, 'Only a heartbeat resolves an incident by silence'],
  [429, envelope, 'Update limit reached'],
]
/** Of every admin route that writes to the status worker. */
const statusWrite: readonly ContractRefusal[] = [
  ...restricted,
  withoutKey,
  workerAway,
  [503, 'status', 'Standing by: this worker is not the leader'],
  [
    503,
    'status',
    'Status worker does not accept changes from this instance: add its address to STATUS_ADMIN_ALLOW there',
  ],
  [504, 'status', 'No valid reply from the status worker: it may have done this, check before you try again'],
]

const badSchedule: readonly ContractRefusal[] = [
  [400, 'ok', 'schedule must be a cron expression, such as 0 3 * * 1-5'],
  [400, 'ok', 'schedule must be a cron expression of five fields: <PROBLEM>'],
  [400, 'ok', 'tz must be an IANA time zone such as Europe/Berlin, with a schedule'],
  [400, 'ok', 'schedule and expectWithinSeconds cannot be combined'],
]
const badWindow: readonly ContractRefusal[] = [
  [400, 'ok', 'components must be a list of 1 to 1000 component ids'],
  [400, 'ok', 'from and until must be ISO 8601 timestamps with a time zone'],
  [400, 'ok', 'until must be after from, in the future, and at most 31 days after from'],
  [400, 'ok', 'text must be a string of at most 500 characters'],
]
const badRecurring: readonly ContractRefusal[] = [
  [400, 'ok', 'components must be a list of 1 to 1000 component ids'],
  ...badSchedule.slice(0, 3),
  [
    400,
    'ok',
    'durationSeconds must be a whole number from 60 to 604800, and no longer than the time between two runs of schedule',
  ],
  [400, 'ok', 'text must be a string of at most 500 characters'],
]
/** As the API says it. */
const inStatus = (refusals: readonly ContractRefusal[]) =>
  refusals.map(([status, , message]): ContractRefusal => [status, 'status', message])
const badMaxRun: ContractRefusal = [400, 'ok', 'maxRunSeconds must be a whole number from 1 to 2678400']

/** Of every admin route that changes a user. */
const act: readonly ContractRefusal[] = [...restricted, withoutKey, ...bodyIn('status'), ...named]
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
const workerCursor: ContractRefusal = [400, 'status', 'cursor must be the `next` value of a previous response']
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
  [400, 'status', 'ids must be at most 100 user ids, separated by commas'],
]
const period: readonly ContractRefusal[] = [
  [400, 'status', 'from must be a date (2026-01-31) or an ISO 8601 timestamp'],
  [400, 'status', 'to must be a date (2026-01-31) or an ISO 8601 timestamp'],
  [400, 'status', 'from must not be after to'],
]

const audited =
  'register, create, delete, login, logout, password, ban, unban, role, rename, revoke-token, reset-password, upload, delete-object, ban.read, user.read, users.read, usage.read, audit.read, audit.missing, store.test, create-key, rotate-key, revoke-key, keys.read, sessions.read, links.read, create-embed, revoke-embed, end-session, report, reports.read, duplicates.read, set-aside.read, problems.read, hidden.read, status.read, service.read, retire-component, change-component, announce-maintenance, change-maintenance, end-maintenance, announce, end-announcement, test-target, acknowledge, mute, unmute, open-incident, update-incident, delete-incident, resolve-report, hide, unhide, move, describe'

const badText = (name: string, max: number): ContractRefusal => [
  400,
  'status',
  `${name} must be a string of 1 to ${max} characters without line breaks and other control characters, or null`,
]

export const kinds = ['fox', 'bird', 'shibe', 'weiner-dog', 'slap', 'hug', 'kiss', 'smug', 'pat'] as const
export const titles = ['Fox', 'Bird', 'Shibe', 'Weiner-dog', 'Slap', 'Hug', 'Kiss', 'Smug', 'Pat'] as const
const nameMissing: ContractRefusal = [500, 'message', '<KIND> image name missing']

/** Of `tags` and `without`. */
const tagsIn = (envelope: Envelope): readonly ContractRefusal[] =>
  ['tags', 'without'].map((name) => [
    400,
    envelope,
    `${name} must be a list of at most 32 tags, each of 1 to 32 of the characters a-z, 0-9 and -`,
  ])

const filters: readonly ContractRefusal[] = [
  [400, 'message', 'orientation must be one of landscape, portrait, square'],
  [400, 'message', 'animated must be true or false'],
  [400, 'message', 'minWidth must be a whole number'],
  [400, 'message', 'minHeight must be a whole number'],
  ...tagsIn('message'),
  [400, 'message', 'meta must be 0 or 1'],
]

const stillReading = [503, 'status', 'Images are still being read, please try again'] as const

/** Of the parameters `w` and `format`. */
const sizeIn = (envelope: Envelope): readonly ContractRefusal[] => [
  [400, envelope, 'w must be a whole number of at least 1'],
  [400, envelope, 'format must be one of auto, avif, jpeg, png, webp'],
]

/** Of what is resized. */
const resized: readonly ContractRefusal[] = [
  [422, 'status', 'The image cannot be resized'],
  [503, 'status', 'Too many images are being resized, please try again'],
]

const random: readonly ContractRefusal[] = [
  ...filters,
  ...sizeIn('message'),
  ...resized,
  ...guarded,
  withKey('images'),
  nameMissing,
  [400, 'message', 'count must be a whole number from 1 to 30'],
  [400, 'message', 'as must be one of json, redirect, bytes, text'],
  [400, 'message', 'count cannot be combined with as=redirect or as=bytes'],
  [400, 'message', 'repeat must be one of yes, no'],
  [400, 'message', 'seed cannot be combined with repeat=no'],
  [400, 'message', 'per must be one of hour, day, week'],
  [400, 'message', 'tz must be an IANA time zone such as Europe/Berlin'],
  [400, 'message', 'per cannot be combined with seed, count or repeat'],
  stillReading,
  [404, 'message', 'Image not found'],
  [412, 'message', 'Precondition failed'],
  [416, 'message', 'Range not satisfiable'],
]
const alsoOfAnImage = [206, 304]

const ofKinds = kinds.flatMap((kind) => [
  route(
    `GET /images/${kind}/random`,
    [...random, [404, 'message', 'No <KIND> images found in bucket'], [404, 'message', 'No <KIND> images match']],
    {
      also: [302, ...alsoOfAnImage],
    },
  ),
  route(
    `GET /images/${kind}`,
    [
      ...guarded,
      ...sizeIn('message'),
      withKey('images'),
      nameMissing,
      ...filters,
      [400, 'message', 'sort must be one of name, newest'],
      [400, 'message', 'q must have at most 200 characters'],
      [400, 'message', 'limit must be a whole number from 1 to 500'],
      [400, 'message', 'cursor must be the `next` value of a previous response'],
    ],
    { also: [304] },
  ),
  route(`GET /images/${kind}/:file`, [...guarded, withKey('images'), [404, 'message', 'Image not found']]),
])

export const contract: readonly ContractRoute[] = [
  route('GET /'),
  route('GET /health'),
  route('GET /docs', [], { also: [304], type: 'text/html' }),
  ...(['GET', 'POST'] as const).map((method) =>
    route(
      `${method} /acknowledge/:token`,
      method === 'GET'
        ? [[503, 'message', 'Status worker is unavailable']]
        : [
            [503, 'message', 'Status worker is unavailable'],
            [503, 'message', 'Standing by: this worker is not the leader'],
            [503, 'message', 'State could not be saved, please try again'],
            [
              503,
              'message',
              'Status worker does not accept changes from this instance: add its address to STATUS_ADMIN_ALLOW there',
            ],
            [
              504,
              'message',
              'No valid reply from the status worker: it may have done this, check before you try again',
            ],
          ],
      { also: method === 'GET' ? [404, 503] : [404, 503, 504], type: 'text/html' },
    ),
  ),
  route('GET /status', [], { also: [304], type: 'text/html' }),
  route('GET /status.css', [], { also: [304], type: 'text/css' }),
  route('GET /status.js', [], { also: [304], type: 'text/javascript' }),
  route('GET /status/logo', [], { also: [304], type: 'image/svg+xml' }),
  route('GET /status/history', [], { also: [304], type: 'text/html' }),
  route(
    'GET /status/incidents/:incident',
    [
      [404, 'message', 'Unknown incident'],
      [503, 'message', 'Status worker is unavailable'],
    ],
    { also: [304, 404, 503], type: 'text/html' },
  ),
  route('GET /status.json', [], { also: [304] }),
  route('GET /api/v2/summary.json', [[503, 'message', 'Status worker is unavailable']], { also: [304] }),
  route('GET /api/v2/status.json', [[503, 'message', 'Status worker is unavailable']], { also: [304] }),
  route('GET /status/maintenance.ics', [[503, 'message', 'Status worker is unavailable']], {
    also: [304],
    type: 'text/calendar',
  }),
  route('GET /status.atom', [], { also: [304], type: 'application/atom+xml' }),
  route(
    'GET /status/badge/:badge',
    [
      [400, 'message', 'days must be one of 7, 30, 90'],
      [404, 'message', 'Unknown badge'],
    ],
    {
      also: [304],
      type: 'image/svg+xml',
    },
  ),
  route(
    'GET /console',
    [
      [
        404,
        'message',
        'The console is not built: run npm install with the development dependencies, then restart the service',
      ],
    ],
    { type: 'text/html' },
  ),
  route('GET /console/logo', [], { also: [304], type: 'image/svg+xml' }),
  route('GET /console/:file', [[404, 'message', 'The console has no such file: a newer version may be installed']], {
    also: [304, 302],
    type: 'text/javascript',
  }),
  route('GET /docs.md', [], { also: [304], type: 'text/markdown' }),
  route(
    'POST /auth/register',
    [
      ...body,
      ...credentials,
      shortPassword,
      [403, 'error', 'Registration is closed'],
      [409, 'error', 'Username already exists'],
      [500, 'error', 'Could not register user'],
      manyLogins,
    ],
    { success: 201 },
  ),
  route('POST /auth/login', [
    ...body,
    ...credentials,
    [401, 'error', 'Invalid credentials'],
    [403, 'error', 'User is banned'],
    databaseAway,
    manyLogins,
  ]),

  // Beside the contract: decisions.md §8, "The first owner".
  route(
    'POST /console/owner',
    [
      [404, 'message', 'Not Found - POST /console/owner'],
      [
        403,
        'error',
        'This request was not sent by the console of this service; if it was, let the proxy pass the Host on, or set BASE_URL',
      ],
      databaseAway,
      ...bodyIn('error'),
      [400, 'error', 'code is required'],
      ...credentials,
      shortPassword,
      [401, 'error', 'Invalid code'],
      [409, 'error', 'Username already exists'],
      manyLogins,
    ],
    { success: 201 },
  ),

  route('POST /admin/ban', [
    ...act,
    ...dryRun,
    [400, 'status', 'You cannot ban yourself'],
    [403, 'status', 'You do not have permission to ban this user'],
    [400, 'status', 'User is already banned'],
    [400, 'status', 'reason must be a string of at most 500 characters'],
    [400, 'status', 'until must be an ISO 8601 timestamp in the future'],
    [500, 'status', 'Failed to ban user'],
  ]),
  route('GET /admin/user/search', [...restricted, withKey('admin:read'), ...named]),
  route('GET /admin/users', [...restricted, withKey('admin:read'), ...page], { also: [304] }),
  route('GET /admin/users/dashboard', [...restricted, withKey('admin:read'), ...page], { also: [304] }),
  route('POST /admin/user/edit/role', [
    ...act,
    ...dryRun,
    [400, 'status', 'role is required and must be a string'],
    [400, 'status', 'Invalid role provided'],
    [400, 'status', 'You cannot change your own role'],
    [403, 'status', "You do not have permission to change this user's role"],
    [500, 'status', 'Failed to update user role'],
  ]),
  route('POST /admin/user/edit/username', [
    ...act,
    ...dryRun,
    [400, 'status', 'newUsername is required'],
    [400, 'status', usernameFormat],
    [400, 'status', 'You cannot change your own username'],
    [403, 'status', "You do not have permission to change this user's username"],
    [409, 'status', 'Username already exists'],
    [500, 'status', 'Failed to update user username'],
  ]),

  // Beside the contract: decisions.md §7, issue 3.
  route('POST /admin/unban', [
    ...act,
    ...dryRun,
    [400, 'status', 'You cannot unban yourself'],
    [403, 'status', 'You do not have permission to unban this user'],
    [400, 'status', 'User is not banned'],
  ]),
  route('POST /admin/user/revoke-token', [
    ...act,
    ...dryRun,
    [400, 'status', 'You cannot sign yourself out here; use /auth/logout'],
    [403, 'status', 'You do not have permission to sign this user out'],
  ]),
  route('POST /admin/user/reset-password', [
    ...act,
    ...dryRun,
    [400, 'status', 'You cannot reset your own password here; use /auth/password'],
    [403, 'status', 'You do not have permission to reset the password of this user'],
    ...passwordAgainIn('status'),
  ]),
  route('POST /admin/user/delete', [
    ...act,
    ...dryRun,
    [400, 'status', 'You cannot delete yourself here; use /auth/delete'],
    [403, 'status', 'You do not have permission to delete this user'],
  ]),
  route('POST /admin/user/create', [
    ...restricted,
    withoutKey,
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
  ]),
  route('GET /admin/user/ban', [...restricted, withKey('admin:read'), ...named]),
  route(
    'GET /admin/usage',
    [
      ...restricted,
      withKey('admin:read'),
      unknownParameter,
      ...notEmpty('userId', 'username'),
      ...period,
      [404, 'status', 'User not found'],
    ],
    { also: [304] },
  ),
  route(
    'GET /admin/audit',
    [
      ...restricted,
      withKey('admin:read'),
      unknownParameter,
      ...notEmpty('actor', 'target'),
      limit,
      cursor,
      ...period,
      [400, 'status', 'id must be the id of an event'],
      [400, 'status', `action must be one of ${audited}`],
      [400, 'status', 'outcome must be one of success, refused, failed'],
    ],
    { also: [304] },
  ),

  route('GET /admin/s3/test', [
    ...restricted,
    withKey('store'),
    ...bodyIn('status'),
    [400, 'status', 'bucketExists must be a string'],
    [503, 'status', 'Object store is not reachable'],
  ]),
  route('POST /admin/s3/upload', [
    ...restricted,
    withKey('upload'),
    [400, 'status', 'bucketName, objectName and path query params are required'],
    [400, 'status', 'Content-Type must be an image/* mime type'],
    [400, 'status', 'bucketName is not a valid bucket name'],
    [400, 'status', 'objectName is not a valid object name'],
    [400, 'status', 'Request body must contain image bytes'],
    [412, 'status', 'Precondition failed'],
    [400, 'status', 'The body is not an image of type <TYPE>'],
    [400, 'status', 'The image is damaged; its metadata cannot be removed'],
    [404, 'status', 'Bucket not found'],
    [408, 'status', 'Request was not received in time'],
    [413, 'status', 'Request body is too large'],
    [415, 'status', 'Content-Encoding is not supported'],
    [500, 'status', 'Error uploading object'],
  ]),
  route('DELETE /admin/s3/delete', [
    ...restricted,
    withKey('store'),
    ...bodyIn('status'),
    unknownParameter,
    [400, 'status', 'bucketName and either objectName or etag are required'],
    [400, 'status', 'objectName is not a valid object name'],
    [404, 'status', 'Object not found'],
    [409, 'status', 'More than one object has this etag'],
    [412, 'status', 'Precondition failed'],
    [500, 'status', 'Error deleting object'],
  ]),
  ...ofKinds,
  route(
    'GET /i/:folder/:filename',
    [
      ...sizeIn('status'),
      ...resized,
      [404, 'status', 'Image not found'],
      [412, 'status', 'Precondition failed'],
      [416, 'status', 'Range not satisfiable'],
    ],
    { also: alsoOfAnImage, type: '*/*' },
  ),

  // Beside the contract: issue 4.
  route('GET /images', [...guarded, withKey('images')]),
  route(
    'GET /images/random',
    [
      ...random,
      [404, 'message', 'No images found in bucket'],
      [404, 'message', 'No images match'],
      [400, 'message', `kinds must be a list of ${kinds.join(', ')}`],
    ],
    { also: [302, ...alsoOfAnImage] },
  ),
  route(
    'GET /images/tags',
    [
      ...guarded,
      withKey('images'),
      [400, 'message', `kinds must be a list of ${kinds.join(', ')}`],
      [400, 'message', 'limit must be a whole number from 1 to 500'],
      [400, 'message', 'cursor must be the `next` value of a previous response'],
    ],
    { also: [304] },
  ),

  // Beside the contract: issue 19.
  route(
    'POST /auth/keys',
    [
      ...guarded,
      withoutKey,
      ...body,
      [400, 'error', 'name is required'],
      [400, 'error', 'name must be 1 to 64 characters without control characters'],
      [400, 'error', 'scopes is required'],
      [400, 'error', 'scopes must be a list of images, upload, store, admin:read'],
      [
        400,
        'error',
        'expiresIn must be a duration such as 90s, 15m, 12h or 30d, or a number of seconds, up to 3650 days, or never',
      ],
      [400, 'error', 'limitPerMinute must be a whole number from 1 to 100000'],
      [409, 'error', 'You have 50 API keys already; revoke one first'],
      ...passwordAgainIn('error'),
    ],
    { success: 201 },
  ),
  route('GET /auth/keys', [...guarded, withoutKey]),
  route('POST /auth/keys/:id/rotate', [
    ...guarded,
    withoutKey,
    ...body,
    [400, 'error', 'graceSeconds must be a whole number from 0 to 86400'],
    [404, 'error', 'API key not found'],
    [409, 'error', 'API key has expired; create a new one'],
    ...passwordAgainIn('error'),
  ]),
  route('DELETE /auth/keys/:id', [...guarded, withoutKey, [404, 'error', 'API key not found']]),
  route('GET /admin/user/keys', [...restricted, withoutKey, ...named]),
  route('GET /admin/user/sessions', [...restricted, withoutKey, ...named]),
  route('GET /admin/user/embed', [...restricted, withoutKey, ...named]),
  route('DELETE /admin/user/keys/:id', [
    ...restricted,
    withoutKey,
    ...dryRun.slice(0, 2),
    [404, 'status', 'API key not found'],
    [400, 'status', 'You cannot revoke your own API key here; use /auth/keys'],
    [403, 'status', 'You do not have permission to revoke API keys of this user'],
  ]),
  route('DELETE /admin/user/sessions/:id', [
    ...restricted,
    withoutKey,
    ...dryRun.slice(0, 2),
    [404, 'status', 'Session not found'],
    [400, 'status', 'You cannot end your own session here; use /auth/sessions'],
    [403, 'status', 'You do not have permission to end sessions of this user'],
  ]),
  route('DELETE /admin/user/embed/:id', [
    ...restricted,
    withoutKey,
    ...dryRun.slice(0, 2),
    [404, 'status', 'Embed link not found'],
    [400, 'status', 'You cannot revoke your own embed link here; use /auth/embed'],
    [403, 'status', 'You do not have permission to revoke embed links of this user'],
  ]),

  route(
    'POST /images/report',
    [
      ...guarded,
      withKey('images'),
      ...bodyIn('status'),
      [400, 'status', 'name is required'],
      [400, 'status', 'reason is required'],
      [400, 'status', 'reason must be a string of 1 to 500 characters, not all spaces'],
      [404, 'status', 'Image not found'],
      [409, 'status', 'You have already reported this image'],
    ],
    { success: 201 },
  ),
  route('PATCH /admin/images/:kind/:file', [
    ...restricted,
    withKey('store'),
    ...bodyIn('status'),
    badText('alt', 1000),
    badText('title', 1000),
    badText('artist', 200),
    badText('license', 200),
    [400, 'status', 'source must be an http or https URL of at most 2048 characters, or null'],
    [400, 'status', 'tags must be a list of at most 32 tags, each of 1 to 32 of the characters a-z, 0-9 and -'],
    [400, 'status', 'At least one of alt, title, artist, source, license, tags is required'],
    [400, 'status', 'Unknown field: <PARAMETER>; expected alt, title, artist, source, license, tags'],
    [404, 'status', 'Image not found'],
  ]),
  route('GET /admin/users/roles', [...restricted, withKey('admin:read')]),
  route('GET /admin/service', [...restricted, withKey('admin:read')]),
  route('GET /admin/status/components', [...restricted, withKey('admin:read'), workerAway], { also: [304] }),
  route(
    'GET /admin/status/incidents',
    [
      ...restricted,
      withKey('admin:read'),
      unknownParameter,
      limit,
      [400, 'status', 'open must be one of true, false'],
      workerCursor,
      workerAway,
    ],
    { also: [304] },
  ),
  route(
    'GET /admin/status/incidents/written',
    [...restricted, withKey('admin:read'), unknownParameter, workerCursor, workerAway],
    { also: [304] },
  ),
  route('GET /admin/status/diag', [...restricted, withKey('admin:read'), workerAway]),
  route('GET /admin/status/targets', [...restricted, withKey('admin:read'), workerAway]),
  ...['maintenance', 'announcements'].map((list) =>
    route(
      `GET /admin/status/${list}`,
      [
        ...restricted,
        withKey('admin:read'),
        unknownParameter,
        [400, 'status', 'state must be planned, active or over'],
        ...(list === 'maintenance' ? [limit, workerCursor] : []),
        workerAway,
      ],
      { also: [304] },
    ),
  ),
  route(
    'GET /admin/status/components/:id/runs',
    [...restricted, withKey('admin:read'), [404, 'status', 'Unknown component'], workerAway],
    { also: [304] },
  ),
  route('PATCH /admin/status/components/:id', [
    ...statusWrite,
    ...bodyIn('status'),
    [400, 'status', 'expectWithinSeconds must be a whole number from 10 to 2678400'],
    [400, 'status', 'graceSeconds must be a whole number from 0 to 2678400'],
    ...badSchedule.map(([status, , message]): ContractRefusal => [status, 'status', message]),
    [400, 'status', badMaxRun[2]],
    [404, 'status', 'Unknown component'],
    stateNotSaved,
  ]),
  route('DELETE /admin/status/components/:id', [
    ...statusWrite,
    unknownParameter,
    [400, 'status', 'publish must be operational, maintenance or nothing'],
    [404, 'status', 'Unknown component'],
    stateNotSaved,
  ]),
  route('POST /admin/status/components/:id/acknowledge', [
    ...statusWrite,
    [404, 'status', 'Unknown component'],
    [409, 'status', 'Component is not down'],
    [409, 'status', 'Outage is already acknowledged'],
    stateNotSaved,
  ]),
  route('PUT /admin/status/components/:id/mute', [
    ...statusWrite,
    ...bodyIn('status'),
    [400, 'status', 'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now'],
    [404, 'status', 'Unknown component'],
    stateNotSaved,
  ]),
  route('DELETE /admin/status/components/:id/mute', [
    ...statusWrite,
    [404, 'status', 'Unknown component'],
    [409, 'status', 'Component is not muted'],
    stateNotSaved,
  ]),
  route(
    'POST /admin/status/maintenance',
    [
      ...statusWrite,
      ...bodyIn('status'),
      ...inStatus(badWindow),
      [429, 'status', 'Maintenance limit reached'],
      stateNotSaved,
    ],
    { success: 201 },
  ),
  route('GET /admin/status/maintenance/recurring', [...restricted, withKey('admin:read'), workerAway], { also: [304] }),
  route(
    'POST /admin/status/maintenance/recurring',
    [
      ...statusWrite,
      ...bodyIn('status'),
      ...inStatus(badRecurring),
      [429, 'status', 'Maintenance limit reached'],
      stateNotSaved,
    ],
    { success: 201 },
  ),
  route('DELETE /admin/status/maintenance/recurring/:id', [
    ...statusWrite,
    [404, 'status', 'Unknown maintenance'],
    [409, 'status', 'Maintenance is over'],
    stateNotSaved,
  ]),
  route('PUT /admin/status/maintenance/:id', [
    ...statusWrite,
    ...bodyIn('status'),
    ...inStatus(badWindow),
    [404, 'status', 'Unknown maintenance'],
    [409, 'status', 'Maintenance is over'],
    stateNotSaved,
  ]),
  route('DELETE /admin/status/maintenance/:id', [
    ...statusWrite,
    [404, 'status', 'Unknown maintenance'],
    [409, 'status', 'Maintenance is over'],
    stateNotSaved,
  ]),
  route(
    'POST /admin/status/announcements',
    [
      ...statusWrite,
      ...bodyIn('status'),
      [400, 'status', 'from and until must be ISO 8601 timestamps with a time zone'],
      [400, 'status', 'text must be a string of at most 500 characters'],
      [400, 'status', 'until must be after from, and in the future'],
      [429, 'status', 'Announcement limit reached'],
      stateNotSaved,
    ],
    { success: 201 },
  ),
  route('DELETE /admin/status/announcements/:id', [
    ...statusWrite,
    [404, 'status', 'Unknown announcement'],
    [409, 'status', 'Announcement is over'],
    stateNotSaved,
  ]),
  route(
    'POST /admin/status/incidents',
    [
      ...statusWrite,
      ...bodyIn('status'),
      [400, 'status', 'title must be a string of 1 to 100 characters'],
      [400, 'status', 'text must be a string of 1 to 2000 characters'],
      [400, 'status', 'level must be one of outage, partial, degraded'],
      [400, 'status', badStage],
      [400, 'status', 'components must be a list of at most 200 component ids'],
      [400, 'status', 'from and until must be ISO 8601 timestamps with a time zone'],
      [400, 'status', 'from must be at most 31 days ago, and not in the future'],
      [400, 'status', 'the first stage must be investigating, identified or monitoring'],
      [429, 'status', 'Incident limit reached'],
      stateNotSaved,
    ],
    { success: 201 },
  ),
  route(
    'POST /admin/status/incidents/:id/updates',
    [
      ...statusWrite,
      ...bodyIn('status'),
      [400, 'status', 'text must be a string of 1 to 2000 characters'],
      [400, 'status', 'level must be one of outage, partial, degraded'],
      [400, 'status', badStage],
      [400, 'status', 'components must be a list of at most 200 component ids'],
      ...incidentRefusals('status'),
      stateNotSaved,
    ],
    { success: 201 },
  ),
  route('DELETE /admin/status/incidents/:id', [...statusWrite, [404, 'status', 'Unknown incident'], stateNotSaved]),
  route('POST /admin/status/targets/:name/test', [
    ...statusWrite,
    [404, 'status', 'Unknown target'],
    [429, 'status', 'Target was tested less than 10 s ago'],
  ]),
  route(
    'GET /admin/reports',
    [
      ...restricted,
      withKey('admin:read'),
      [400, 'status', 'Unknown parameter: <PARAMETER>'],
      [400, 'status', 'state must be open or closed'],
      [400, 'status', 'limit must be a whole number from 1 to 500'],
      [400, 'status', 'cursor must be the `next` value of a previous response, with the same sort'],
    ],
    { also: [304] },
  ),
  route('POST /admin/reports/:id/resolve', [
    ...restricted,
    withoutKey,
    ...bodyIn('status'),
    [400, 'status', 'action is required'],
    [400, 'status', 'action must be one of keep, hide, delete'],
    [403, 'status', 'You do not have permission to delete images'],
    [404, 'status', 'Report not found'],
    [409, 'status', 'Report was already resolved: <ACTION>'],
  ]),
  route(
    'GET /admin/images/duplicates',
    [
      ...restricted,
      withKey('admin:read'),
      [400, 'status', 'Unknown parameter: <PARAMETER>'],
      [400, 'status', 'limit must be a whole number from 1 to 500'],
      [400, 'status', 'md5 must be 32 hexadecimal digits'],
      [400, 'status', 'cursor must be the `next` value of a previous response'],
    ],
    { also: [304] },
  ),
  route(
    'GET /admin/images/set-aside',
    [
      ...restricted,
      withKey('admin:read'),
      [400, 'status', 'Unknown parameter: <PARAMETER>'],
      [400, 'status', 'limit must be a whole number from 1 to 500'],
      [400, 'status', 'cursor must be the `next` value of a previous response'],
    ],
    { also: [304] },
  ),
  route('GET /admin/images/problems', [...restricted, withKey('admin:read')], { also: [304] }),
  route(
    'GET /admin/images/hidden',
    [
      ...restricted,
      withKey('admin:read'),
      [400, 'status', 'Unknown parameter: <PARAMETER>'],
      [400, 'status', 'limit must be a whole number from 1 to 500'],
      [400, 'status', 'cursor must be the `next` value of a previous response'],
    ],
    { also: [304] },
  ),
  route(
    'GET /admin/images/:kind/:file/bytes',
    [
      ...restricted,
      withoutKey,
      [404, 'status', 'Image not found'],
      [412, 'status', 'Precondition failed'],
      [416, 'status', 'Range not satisfiable'],
    ],
    { also: alsoOfAnImage, type: '*/*' },
  ),
  route('POST /admin/images/hide', [
    ...restricted,
    withoutKey,
    ...bodyIn('status'),
    [400, 'status', 'name is required'],
    [404, 'status', 'Image not found'],
    [409, 'status', 'Image is already hidden'],
  ]),
  route('POST /admin/images/move', [
    ...restricted,
    withKey('store'),
    ...bodyIn('status'),
    [400, 'status', 'name is required'],
    [400, 'status', 'to is required'],
    [400, 'status', 'to must be <kind>/<file name>, other than name'],
    [404, 'status', 'Image not found'],
    [409, 'status', 'Another image has this name'],
    [409, 'status', 'Image was replaced meanwhile'],
  ]),
  route('POST /admin/images/unhide', [
    ...restricted,
    withoutKey,
    ...bodyIn('status'),
    [400, 'status', 'name is required'],
    [400, 'status', 'Image is not hidden'],
    [404, 'status', 'Image not found'],
  ]),

  // Beside the contract: decisions.md §2, issue 2.
  route('GET /auth/me', guarded),
  // Beside the contract: issue 34, "Overview".
  route('GET /auth/usage', [
    ...guarded,
    withoutKey,
    ...[unknownParameter, ...period].map(([status, , text]): ContractRefusal => [status, 'error', text]),
  ]),
  route('POST /auth/logout', [...guarded, withoutKey]),
  // Beside the contract: issue 30, "Sessions of the console".
  route('POST /console/session', [
    otherSite,
    ...body,
    ...credentials,
    [401, 'error', 'Invalid credentials'],
    [403, 'error', 'User is banned'],
    manyLogins,
    databaseAway,
  ]),
  route('DELETE /console/session', [otherSite, databaseAway]),
  route('GET /auth/sessions', [...guarded, withoutKey]),
  route('DELETE /auth/sessions/:id', [
    ...guarded,
    withoutKey,
    ...body,
    [404, 'error', 'Session not found'],
    ...passwordAgainIn('error'),
  ]),
  route('POST /auth/password', [
    ...guarded,
    withoutKey,
    ...body,
    [400, 'error', 'currentPassword is required'],
    [400, 'error', 'newPassword is required'],
    shortPassword,
    [401, 'error', 'Invalid credentials'],
    manyLogins,
  ]),
  route('POST /auth/delete', [
    ...guarded,
    withoutKey,
    ...body,
    [400, 'error', 'Password is required'],
    [400, 'error', 'The last owner cannot be deleted'],
    [401, 'error', 'Invalid credentials'],
    manyLogins,
  ]),
  // Beside the contract: issue 19.
  route(
    'POST /auth/embed',
    [
      ...guarded,
      withoutKey,
      ...body,
      [400, 'error', 'orientation must be one of landscape, portrait, square'],
      ...tagsIn('error'),
      [400, 'error', 'kind or kinds is required'],
      [400, 'error', 'kind and kinds cannot be combined'],
      [400, 'error', `kind must be one of ${kinds.join(', ')}`],
      [400, 'error', `kinds must be a list of ${kinds.join(', ')}`],
      [400, 'error', 'ttl must be a duration such as 90s, 15m, 12h or 30d, or a number of seconds, up to 3650 days'],
      [400, 'error', 'repeat must be one of yes, no'],
      [400, 'error', 'per must be one of hour, day, week'],
      [400, 'error', 'tz must be an IANA time zone such as Europe/Berlin'],
      [400, 'error', 'per cannot be combined with repeat'],
      [409, 'error', 'You have 100 embed links already; revoke one first'],
      ...passwordAgainIn('error'),
    ],
    { success: 201 },
  ),
  route('GET /auth/embed', [...guarded, withoutKey]),
  route('DELETE /auth/embed/:id', [...guarded, withoutKey, [404, 'error', 'Embed link not found']]),
  route(
    'GET /e/:token',
    [
      ...sizeIn('status'),
      ...resized,
      [404, 'status', 'Image not found'],
      [412, 'status', 'Precondition failed'],
      [416, 'status', 'Range not satisfiable'],
      [400, 'status', 'as must be one of bytes, redirect, json'],
      [400, 'status', 'per cannot be combined with seed, count or repeat'],
      [500, 'status', '<KIND> image name missing'],
      stillReading,
      databaseAway,
    ],
    { also: [302, ...alsoOfAnImage], type: '*/*' },
  ),
  route('GET /ready', [], { also: [503] }),
  route('GET /openapi.json', [], { also: [304], type: 'application/json' }),
  route(
    'GET /metrics',
    [
      [403, 'status', 'Metrics are only available to the networks of METRICS_ALLOW'],
      [403, 'status', 'This host name is not allowed: use an IP address, or add it to ALLOWED_HOSTS'],
    ],
    { type: 'text/plain' },
  ),
  route('GET /docs.js', [], { also: [304], type: 'text/javascript' }),
  route('GET /docs.css', [], { also: [304], type: 'text/css' }),
  route('GET /docs.svg', [], { also: [304], type: 'image/svg+xml' }),
  route('GET /docs/decisions', [], { also: [304], type: 'text/html' }),
]

const standingBy: ContractRefusal = [503, 'ok', 'Standing by: this worker is not the leader']
const changesForbidden: ContractRefusal = [403, 'ok', 'Changes are allowed only from addresses in STATUS_ADMIN_ALLOW']
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
  ...badSchedule,
  badMaxRun,
  [400, 'ok', 'message must be a string of at most 500 characters'],
  [
    400,
    'ok',
    'instance must be 1 to 64 letters, digits, dots, underscores and hyphens, and start with a letter or digit',
  ],
  [400, 'ok', 'durationMs must be a number from 0 to 86400000'],
]

const badDays: ContractRefusal = [400, 'ok', 'days must be a whole number from 1 to 400']
const unknownMaintenance: ContractRefusal = [404, 'ok', 'Unknown maintenance']
const maintenanceOver: ContractRefusal = [409, 'ok', 'Maintenance is over']
const badBody: readonly ContractRefusal[] = [
  ...bodyIn('ok').filter(([, , message]) => message !== 'Request body is not valid JSON'),
  [400, 'ok', 'Malformed JSON'],
]

const runErrors: readonly ContractRefusal[] = [
  ...badTerms,
  [400, 'ok', 'rid must be 1 to 64 letters, digits, dots, underscores and hyphens, and start with a letter or digit'],
  ...bodyIn('ok').filter(([status, , message]) => status === 408 || status === 413 || /Encoding/.test(message)),
  [429, 'ok', 'Component limit reached'],
  notSaved,
  standingBy,
]

export const workerContract: readonly ContractRoute[] = [
  route('GET /openapi.json', [], { also: [304], type: 'application/json' }),
  route('POST /heartbeat/:componentId', [
    ...bodyIn('ok').filter(([, , message]) => message !== 'Request body is not valid JSON'),
    [400, 'ok', 'Malformed JSON'],
    [400, 'ok', 'Invalid component id'],
    badStatus,
    ...badTerms,
    [429, 'ok', 'Component limit reached'],
    notSaved,
    standingBy,
  ]),
  route('GET /health', [standingBy]),
  route('GET /health/:componentId', [unknownComponent, standingBy]),
  route('GET /diag', [[400, 'ok', 'waitMs must be a whole number from 100 to 5000']]),

  // Beside the contract: decisions.md §6, issues 6 and 17.
  route('POST /heartbeat/:componentId/:status', [...runErrors, [400, 'ok', 'Invalid component id'], badStatus]),
  route('POST /heartbeat/:componentId/start', [...runErrors, [400, 'ok', 'Invalid component id']]),
  route('POST /heartbeat/:componentId/fail', [...runErrors, [400, 'ok', 'Invalid component id']]),
  route('GET /components/:componentId/runs', [unknownComponent, standingBy]),
  route('GET /heartbeat/:componentId/:status', [
    [400, 'ok', 'Invalid component id'],
    badStatus,
    ...badTerms,
    [403, 'ok', 'Forbidden'],
    [404, 'ok', 'Not found'],
    unknownComponent,
    notSaved,
    standingBy,
  ]),
  route('GET /livez'),
  route('GET /incidents', [...badPage, [400, 'ok', 'open must be true or false'], standingBy]),
  route('GET /history/:componentId', [...badPage, unknownComponent, standingBy]),
  route('GET /components', [...badPage, standingBy]),
  route('POST /components/:componentId/acknowledge', [
    ...badBody,
    [400, 'ok', 'by must be a string of 1 to 100 characters'],
    unknownComponent,
    [409, 'ok', 'Component is not down'],
    [409, 'ok', 'Outage is already acknowledged'],
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('PUT /components/:componentId/mute', [
    ...badBody,
    [400, 'ok', 'by must be a string of 1 to 100 characters'],
    [400, 'ok', 'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now'],
    unknownComponent,
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('DELETE /components/:componentId/mute', [
    unknownComponent,
    [409, 'ok', 'Component is not muted'],
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('GET /links/:hash', [[404, 'ok', 'Unknown link'], standingBy]),
  route('POST /links/:hash', [
    [404, 'ok', 'Unknown link'],
    [409, 'ok', 'Component is not down'],
    [409, 'ok', 'Outage is already acknowledged'],
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('GET /summary', [standingBy]),
  route('GET /targets', [standingBy]),
  route('POST /targets/:target/test', [
    [404, 'ok', 'Unknown target'],
    [429, 'ok', 'Target was tested less than 10 s ago'],
    changesForbidden,
    standingBy,
  ]),
  route('GET /uptime', [badDays, standingBy]),
  route('GET /uptime/:componentId', [badDays, unknownComponent, standingBy]),
  route('GET /maintenance', [...badPage, [400, 'ok', 'state must be planned, active or over'], standingBy]),
  route(
    'POST /maintenance',
    [...badBody, ...badWindow, [429, 'ok', 'Maintenance limit reached'], notSaved, changesForbidden, standingBy],
    {
      success: 201,
    },
  ),
  route('GET /maintenance/recurring', [standingBy]),
  route(
    'POST /maintenance/recurring',
    [...badBody, ...badRecurring, [429, 'ok', 'Maintenance limit reached'], notSaved, changesForbidden, standingBy],
    { success: 201 },
  ),
  route('DELETE /maintenance/recurring/:recurringId', [
    unknownMaintenance,
    maintenanceOver,
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('PUT /maintenance/:maintenanceId', [
    ...badBody,
    ...badWindow,
    unknownMaintenance,
    maintenanceOver,
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('DELETE /maintenance/:maintenanceId', [
    unknownMaintenance,
    maintenanceOver,
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('GET /incidents/written', [[400, 'ok', 'cursor must be the `next` value of a previous response'], standingBy]),
  route(
    'POST /incidents',
    [
      ...badBody,
      [400, 'ok', 'title must be a string of 1 to 100 characters'],
      [400, 'ok', 'text must be a string of 1 to 2000 characters'],
      [400, 'ok', 'level must be one of outage, partial, degraded'],
      [400, 'ok', badStage],
      [400, 'ok', 'components must be a list of at most 200 component ids'],
      [400, 'ok', 'from and until must be ISO 8601 timestamps with a time zone'],
      [400, 'ok', 'from must be at most 31 days ago, and not in the future'],
      [400, 'ok', 'the first stage must be investigating, identified or monitoring'],
      [429, 'ok', 'Incident limit reached'],
      notSaved,
      changesForbidden,
      standingBy,
    ],
    { success: 201 },
  ),
  route(
    'POST /incidents/:incidentId/updates',
    [
      ...badBody,
      [400, 'ok', 'text must be a string of 1 to 2000 characters'],
      [400, 'ok', 'level must be one of outage, partial, degraded'],
      [400, 'ok', badStage],
      [400, 'ok', 'components must be a list of at most 200 component ids'],
      ...incidentRefusals('ok'),
      notSaved,
      changesForbidden,
      standingBy,
    ],
    { success: 201 },
  ),
  route('DELETE /incidents/:incidentId', [[404, 'ok', 'Unknown incident'], notSaved, changesForbidden, standingBy]),
  route('GET /announcements', [[400, 'ok', 'state must be planned, active or over'], standingBy]),
  route('GET /audit', [
    [400, 'ok', 'after must be the id of a record'],
    [400, 'ok', 'limit must be a whole number from 1 to 500'],
    standingBy,
  ]),
  route(
    'POST /announcements',
    [
      ...badBody,
      [400, 'ok', 'text must be a string of at most 500 characters'],
      [400, 'ok', 'from and until must be ISO 8601 timestamps with a time zone'],
      [400, 'ok', 'until must be after from, and in the future'],
      [429, 'ok', 'Announcement limit reached'],
      notSaved,
      changesForbidden,
      standingBy,
    ],
    { success: 201 },
  ),
  route('DELETE /announcements/:announcementId', [
    [404, 'ok', 'Unknown announcement'],
    [409, 'ok', 'Announcement is over'],
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('PATCH /components/:componentId', [
    ...badBody,
    [400, 'ok', 'expectWithinSeconds must be a whole number from 10 to 2678400'],
    [400, 'ok', 'graceSeconds must be a whole number from 0 to 2678400'],
    ...badSchedule,
    badMaxRun,
    unknownComponent,
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('DELETE /components/:componentId', [
    [400, 'ok', 'publish must be operational, maintenance or nothing'],
    unknownComponent,
    notSaved,
    changesForbidden,
    standingBy,
  ]),
  route('GET /metrics', [], { type: 'text/plain' }),
]
