import type { Envelope } from '../src/http/refusal.ts'

/* The contract's tables, typed once more by hand from interface.md and decisions.md. Nothing in src reads this. */

export interface ContractRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
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

const body: readonly ContractRefusal[] = [
  [400, 'error', 'Request body is not valid JSON'],
  [408, 'error', 'Request was not received in time'],
  [413, 'error', 'Request body is too large'],
  [415, 'error', 'Content-Type must be application/json'],
  [415, 'error', 'Content-Encoding is not supported'],
]

const credentials: readonly ContractRefusal[] = [
  [400, 'error', 'Username is required'],
  [400, 'error', 'Password is required'],
  [400, 'error', 'Unable to sanitize username. Please try again later or report this to the maintainer.'],
]

const shortPassword: ContractRefusal = [400, 'error', 'Password must be at least 8 characters and at most 1024 bytes']
const manyLogins: ContractRefusal = [503, 'status', 'Too many logins at the moment, please try again']

export const contract: readonly ContractRoute[] = [
  { method: 'GET', path: '/', success: 200, refusals: [] },
  { method: 'GET', path: '/health', success: 200, refusals: [] },
  { method: 'GET', path: '/docs', success: 200, type: 'text/html', refusals: [] },
  { method: 'GET', path: '/docs.md', success: 200, type: 'text/markdown', refusals: [] },
  {
    method: 'POST',
    path: '/auth/register',
    success: 201,
    refusals: [
      ...body,
      ...credentials,
      shortPassword,
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
  { method: 'GET', path: '/ready', success: 200, also: [503], refusals: [] },
  { method: 'GET', path: '/openapi.json', success: 200, type: 'application/json', refusals: [] },
  { method: 'GET', path: '/docs.css', success: 200, type: 'text/css', refusals: [] },
  { method: 'GET', path: '/docs.svg', success: 200, type: 'image/svg+xml', refusals: [] },
]

export const workerContract: readonly ContractRoute[] = [{ method: 'GET', path: '/livez', success: 200, refusals: [] }]
