import { fields, optional, required, requiredChoice } from '../../http/fields.ts'
import type { Guarded } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import type { CreateDeps } from '../create-account.ts'
import { errors as accountErrors } from '../errors.ts'
import type { KeyPassage } from '../limits.ts'
import { roles } from '../roles.ts'
import { toShortUser } from '../schemas.ts'
import { usernameForm } from '../username.ts'
import { acting } from './act-routes.ts'
import { createUser } from './create-user.ts'
import { withoutDryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import { createdUser } from './schemas.ts'

const { badPassword, tooManyLogins } = accountErrors

export const createRoute: ApiRoute<CreateDeps & Guarded, KeyPassage> = defineApiRoute({
  ...acting,
  path: '/admin/user/create',
  operationId: 'createUser',
  summary: 'Create a user',
  description:
    'Creates an account with a role below your own; it is signed in nowhere. Without a `password`, one is made and returned once: it is stored nowhere.',
  audit: 'create',
  body: withoutDryRun(
    fields({
      username: required(errors.usernameRequired, {
        ...usernameForm,
        invalid: errors.badNewUsername,
        description: 'Case-insensitive; the spelling is kept',
        examples: ['alice'],
      }),
      role: requiredChoice(roles, errors.roleRequired, errors.badRole, { title: 'Role' }),
      password: optional({
        invalid: badPassword,
        isStrict: true,
        description: 'By default one is made',
        examples: ['correct horse battery'],
      }),
    }),
  ),
  reply: { status: 200, schema: createdUser },
  errors: [errors.cannotCreate, errors.usernameTaken, tooManyLogins],
  async handle({ actor, body, query: { dryRun = false }, signal }, deps: CreateDeps & Guarded) {
    const { account, madePassword } = await createUser(deps, actor, body, { isDryRun: dryRun, signal })
    return {
      status: 200,
      message: `User ${account.username} has been created`,
      user: toShortUser(account),
      ...(madePassword !== null && { password: madePassword }),
      ...(dryRun && { dryRun }),
    }
  },
})
