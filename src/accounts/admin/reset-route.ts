import { type Fields, fields } from '../../http/fields.ts'
import type { Guarded } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import type { LimitedPassage } from '../limits.ts'
import {
  type PasswordAgainDeps,
  passwordAgainErrors,
  passwordAgainField,
  requirePasswordAgain,
} from '../password-again.ts'
import { acting, changedReply } from './act-routes.ts'
import { withoutDryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import { either, identifiers, type Named, namedIn, whoOf } from './identify.ts'
import { type ResetDeps, resetPassword } from './reset-password.ts'
import { resetUser } from './schemas.ts'

export type ResetRouteDeps = ResetDeps & PasswordAgainDeps & Guarded

type Body = Named & { readonly password: string | undefined }

export const resetRoute: ApiRoute<ResetRouteDeps, LimitedPassage> = defineApiRoute({
  ...acting,
  path: '/admin/user/reset-password',
  operationId: 'resetPassword',
  summary: 'Reset a password',
  description:
    "Sets a random password, which only this reply shows, forgets failed logins by that name, and ends the user's sign-ins, API keys and embed links. The user should then choose another by `POST /auth/password`.",
  limit: 'adminPasswordAgain',
  audit: 'reset-password',
  preview(read, caller) {
    caller.named = namedIn(read)
  },
  body: withoutDryRun(fields({ ...identifiers, password: passwordAgainField }, either) as Fields<Body>),
  reply: { status: 200, schema: resetUser },
  errors: [errors.userNotFound, errors.selfReset, errors.cannotReset, ...passwordAgainErrors],
  async handle({ actor, body, query: { dryRun = false }, signal }, deps: ResetRouteDeps, guesses: LimitedPassage) {
    const proven = await requirePasswordAgain(deps, actor, { password: body.password, guesses }, signal)
    const options = { proven, isDryRun: dryRun, signal }
    const { account, password } = await resetPassword(deps, actor, whoOf(body), options)
    if (password !== null) await guesses.forgetGuesses(account.username)
    const message = `Password of ${account.username} has been reset`
    return { ...changedReply(message, account, dryRun), ...(password !== null && { password }) }
  },
})
