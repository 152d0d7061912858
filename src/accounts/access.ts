import { protocolErrors } from '../http/errors.ts'
import { refuse } from '../http/refusal.ts'
import type { Access } from '../http/route.ts'
import { errors } from './errors.ts'
import { type Actor, type Guard, mayEnter } from './guard.ts'
import type { KeyPassage } from './limits.ts'
import { permitted, type Role } from './roles.ts'
import type { Principal } from './users.ts'

/** What a route needs to be guarded. */
export interface Guarded {
  readonly guard: Pick<Guard, 'admit' | 'findSession' | 'cookies'>
}

const guardErrors = [errors.tokenRequired, errors.tokenInvalid, errors.banned]

/** Anyone who is not banned and has a valid token, or an API key with the scope of the route. */
export const signedIn: Access<Actor, Guarded, KeyPassage> = {
  label: 'any signed-in user',
  errors: [...guardErrors, protocolErrors.unavailable],
  admit: (call, { guard }, passage) => guard.admit(call, passage),
  permit: mayEnter,
}

/** Of the routes about how the caller gets in. No API key opens them: a key that could create keys could not be revoked for good. */
export const ownAccess = {
  access: signedIn,
  envelope: 'error',
  limit: 'auth',
  counts: 'auth',
  keyScope: null,
} as const

export const onlyRoles = (allowed: readonly Role[]): Access<Actor, Guarded, KeyPassage> => ({
  ...signedIn,
  label: allowed.join(', '),
  errors: [...guardErrors, errors.forbidden, protocolErrors.unavailable],
  permit(actor) {
    mayEnter(actor)
    if (!allowed.includes(actor.user.role)) refuse(errors.forbidden)
  },
})

/** The actor's account, as read in a transaction. */
export type LockedAccount = Principal | null

/** The same check on the account locked in a transaction, which may have changed since the guard read it. */
export function mustBeOneOf(allowed: readonly Role[], account: LockedAccount): Principal {
  if (!account) refuse(errors.tokenInvalid)
  if (account.banned) refuse(errors.banned)
  if (!allowed.includes(account.role)) refuse(errors.forbidden)
  return account
}

export const onlyAdministrators = onlyRoles(permitted.administer)
