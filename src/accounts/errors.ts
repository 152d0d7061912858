import type { Refusal } from '../http/refusal.ts'

const challenge = { 'WWW-Authenticate': 'Bearer realm="menagerie"' }
const invalidToken = { 'WWW-Authenticate': 'Bearer realm="menagerie", error="invalid_token"' }
/** The token was sent alone, or with another scheme. */
export const bearerOnly = {
  'WWW-Authenticate': `${invalidToken['WWW-Authenticate']}, error_description="Access token must be sent as Bearer <token>"`,
}

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
    when: 'the username does not match the pattern',
  },
  badPassword: {
    status: 400,
    message: 'Password must be at least <PASSWORD_MIN_LENGTH> characters and at most 1024 bytes',
  },
  usernameTaken: { status: 409, message: 'Username already exists' },
  badCredentials: { status: 401, message: 'Invalid credentials' },
  bannedAtLogin: { status: 403, message: 'User is banned', when: 'the password is correct' },
  tooManyLogins: {
    status: 503,
    message: 'Too many logins at the moment, please try again',
    envelope: 'status',
    headers: { 'Retry-After': '1' },
  },
  currentPasswordRequired: { status: 400, message: 'currentPassword is required' },
  newPasswordRequired: { status: 400, message: 'newPassword is required' },
  registrationClosed: { status: 403, message: 'Registration is closed', when: '`REGISTRATION` is `closed`' },
  lastOwner: {
    status: 400,
    message: 'The last owner cannot be deleted',
    when: 'there is no other owner who is not banned',
  },
} as const satisfies Record<string, Refusal>
