import { optional } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import type { CreateDeps } from './create-account.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { Guesses } from './limits.ts'
import { provePassword } from './own-password.ts'
import type { Account } from './users.ts'

/* What a stolen token must not be able to do: a route with this field and these errors has a limit of passwords. */

/** A login this old does what needs the password without it. */
const recentMs = 600_000

export const passwordAgainField = optional({
  description: 'Your password; not needed within 10 minutes of signing in',
  examples: ['correct horse battery'],
})

export const passwordAgainErrors = [errors.passwordAgain, errors.badCredentials, errors.tooManyLogins] as const

export type PasswordAgainDeps = Pick<CreateDeps, 'users' | 'passwords' | 'clock'>

/** A login in the future counts as old: the clock that dated it, or ours, is wrong. */
const isRecent = (signedInAt: number, now: number) => signedInAt <= now && now - signedInAt <= recentMs

/**
 * Refuses unless the caller sends the password, or has signed in recently. Returns the account whose password was
 * proven, for `mustBeAsProven`; null if none was sent. One that is sent is checked in any case, and counted as a login
 * if it is wrong.
 */
export async function requirePasswordAgain(
  deps: PasswordAgainDeps,
  actor: Actor,
  { password, guesses }: { readonly password: string | undefined; readonly guesses: Guesses },
  signal: AbortSignal,
): Promise<Account | null> {
  if (password !== undefined) return provePassword(deps, actor, { password, guesses }, signal)
  return isRecent(actor.signedInAt, deps.clock.now()) ? null : refuse(errors.passwordAgain)
}
