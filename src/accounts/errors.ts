import type { Refusal } from '../http/refusal.ts'
import { badPer, badZone } from '../images/period.ts'
import { orientations } from '../images/shapes/choices.ts'
import { badTags } from '../images/tags.ts'
import { maxLinks } from './embed-links.ts'
import { type KeyScope, keyScopes, maxGraceSeconds, maxKeyLimit, maxKeyNameLength, maxKeys } from './keys.ts'

/* The refusals of administrators' acts are in admin/act-errors.ts. */

const challenge = { 'WWW-Authenticate': 'Bearer realm="menagerie"' }
const invalidToken = { 'WWW-Authenticate': 'Bearer realm="menagerie", error="invalid_token"' }
/** The token was sent alone or with another scheme. */
export const bearerOnly = {
  'WWW-Authenticate': `${invalidToken['WWW-Authenticate']}, error_description="Access token must be sent as Bearer <token>"`,
}

/** Two headers with different credentials: Authorization and X-API-Key, or Authorization twice. */
export const twoCredentials = {
  'WWW-Authenticate': `${invalidToken['WWW-Authenticate']}, error_description="Send one credential; these differ"`,
}

/** The refusal of an API key, by the scope that the route requires; `null`: no key opens it. */
export const keyErrors = Object.fromEntries(
  [...keyScopes, null].map((scope): [string, Refusal] => [
    String(scope),
    {
      status: 403,
      message:
        scope === null ? 'API keys cannot be used here; sign in instead' : `This API key lacks the scope ${scope}`,
      envelope: 'status',
      headers: {
        'WWW-Authenticate': `Bearer realm="menagerie", error="insufficient_scope"${scope === null ? '' : `, scope="${scope}"`}`,
      },
    },
  ]),
) as Readonly<Record<KeyScope | 'null', Refusal>>

export const errors = {
  tokenRequired: { status: 401, message: 'Access token is required', envelope: 'status', headers: challenge },
  tokenInvalid: { status: 401, message: 'Invalid or revoked access token', envelope: 'status', headers: invalidToken },
  banned: { status: 403, message: 'User is banned', envelope: 'status' },
  forbidden: { status: 403, message: 'You do not have permission to access this resource', envelope: 'status' },

  usernameRequired: { status: 400, message: 'Username is required' },
  passwordRequired: { status: 400, message: 'Password is required' },
  badUsername: {
    status: 400,
    message: 'Unable to sanitize username. Please try again later or report this to <MAINTAINER>.',
    when: 'the username is not 3 to 32 letters, digits, underscores, hyphens and dots',
  },
  badPassword: {
    status: 400,
    message: 'Password must be at least <PASSWORD_MIN_LENGTH> characters and at most 1024 bytes',
  },
  usernameTaken: { status: 409, message: 'Username already exists' },
  badCredentials: { status: 401, message: 'Invalid credentials' },
  bannedAtLogin: { status: 403, message: 'User is banned', when: 'the password is correct' },
  passwordAgain: {
    status: 403,
    message: 'Sign in again or send your password',
    when: 'the login is older than 10 minutes and the body has no `password`',
  },
  tooManyLogins: {
    status: 503,
    message: 'Too many logins at the moment, please try again',
    envelope: 'status',
    headers: { 'Retry-After': '1' },
  },
  currentPasswordRequired: { status: 400, message: 'currentPassword is required' },
  newPasswordRequired: { status: 400, message: 'newPassword is required' },
  registrationClosed: { status: 403, message: 'Registration is closed', when: '`REGISTRATION` is `closed`' },
  otherSite: {
    status: 403,
    message:
      'This request was not sent by the console of this service; if it was, let the proxy pass the Host on, or set BASE_URL',
    when: '`Sec-Fetch-Site`, `X-Menagerie-Console` or `Origin` says so',
  },
  noOwnerCode: {
    status: 404,
    message: 'Not Found - POST /console/owner',
    envelope: 'message',
    when: 'there is an owner, no code is open, or the request was not made on the machine itself',
  },
  ownerCodeRequired: { status: 400, message: 'code is required' },
  badOwnerCode: { status: 401, message: 'Invalid code' },
  sessionNotFound: { status: 404, message: 'Session not found' },
  lastOwner: {
    status: 400,
    message: 'The last owner cannot be deleted',
    when: 'there is no other owner who is not banned',
  },

  keyNameRequired: { status: 400, message: 'name is required' },
  badKeyName: {
    status: 400,
    message: `name must be 1 to ${maxKeyNameLength} characters without control characters`,
  },
  scopesRequired: { status: 400, message: 'scopes is required' },
  badScopes: { status: 400, message: `scopes must be a list of ${keyScopes.join(', ')}` },
  badExpiry: {
    status: 400,
    message:
      'expiresIn must be a duration such as 90s, 15m, 12h or 30d, or a number of seconds, up to 3650 days, or never',
  },
  badKeyLimit: { status: 400, message: `limitPerMinute must be a whole number from 1 to ${maxKeyLimit}` },
  badGrace: { status: 400, message: `graceSeconds must be a whole number from 0 to ${maxGraceSeconds}` },
  tooManyKeys: { status: 409, message: `You have ${maxKeys} API keys already; revoke one first` },
  keyNotFound: { status: 404, message: 'API key not found' },
  keyExpired: { status: 409, message: 'API key has expired; create a new one' },

  kindRequired: { status: 400, message: 'kind or kinds is required' },
  kindAndKinds: { status: 400, message: 'kind and kinds cannot be combined' },
  badKind: { status: 400, message: 'kind must be one of <KINDS>' },
  badKinds: { status: 400, message: 'kinds must be a list of <KINDS>' },
  badTtl: {
    status: 400,
    message: 'ttl must be a duration such as 90s, 15m, 12h or 30d, or a number of seconds, up to 3650 days',
  },
  badOrientation: { status: 400, message: `orientation must be one of ${orientations.join(', ')}` },
  badTags: badTags('tags'),
  badWithout: badTags('without'),
  badRepeat: { status: 400, message: 'repeat must be one of yes, no' },
  badPer,
  badTz: badZone,
  perAndRepeat: { status: 400, message: 'per cannot be combined with repeat' },
  tooManyLinks: { status: 409, message: `You have ${maxLinks} embed links already; revoke one first` },
  linkNotFound: { status: 404, message: 'Embed link not found' },
} as const satisfies Record<string, Refusal>
