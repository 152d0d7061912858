import { type Field, type Fields, fields } from '../../http/fields.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Guarded, onlyAdministrators } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import type { Action, Origin } from '../audit.ts'
import { toShortUser } from '../schemas.ts'
import type { Principal, Users, Who } from '../users.ts'
import type { Acted, ActOptions } from './act-on-user.ts'
import { dryRunQuery, withoutDryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import { either, identifiers, type Named, namedIn, whoOf } from './identify.ts'
import { changedUser } from './schemas.ts'

export interface ActDeps extends Guarded {
  readonly users: Users
  readonly clock: Clock
}

interface ActRoute<Terms> {
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly audit: Action
  readonly onFailure?: string
  /** What the body has besides whom it is about. */
  readonly terms?: { readonly [Name in keyof Terms]: Field<Terms[Name]> }
  /** For the reference: how the user differs afterwards from `alice`, role `user`. */
  readonly example?: Partial<Principal>
  readonly errors: readonly Refusal[]
  /** Refuses an act that would change nothing. */
  readonly unchanged?: Refusal
  act(deps: ActDeps, by: Origin, who: Who, terms: Terms, options: ActOptions): Promise<Acted>
  message(user: Pick<Principal, 'username' | 'role'>): string
}

/** The route of one act of administrators on an account: they differ in no more than this. */
export function actRoute<Terms = unknown>(spec: ActRoute<Terms>): ApiRoute<ActDeps, unknown> {
  const { path, summary, description, audit, onFailure, example = {}, unchanged, act, message } = spec
  const body = fields({ ...identifiers, ...spec.terms }, either) as Fields<Named & Terms>
  return defineApiRoute({
    method: 'POST',
    path,
    summary,
    description,
    access: onlyAdministrators,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit,
    ...(onFailure !== undefined && { onFailure }),
    query: dryRunQuery,
    preview(read, caller) {
      caller.named = namedIn(read)
    },
    body: withoutDryRun(body),
    reply: {
      status: 200,
      schema: changedUser(message({ username: 'alice', role: 'user', ...example }), example),
    },
    errors: [errors.userNotFound, ...spec.errors, ...(unchanged ? [unchanged] : [])],
    async handle({ actor, body: terms, query: { dryRun } }, deps: ActDeps) {
      const { account, changed } = await act(deps, actor, whoOf(terms), terms, { isDryRun: dryRun })
      if (!changed && unchanged) refuse(unchanged)
      return { status: 200, message: message(account), user: toShortUser(account), ...(dryRun && { dryRun }) }
    },
  })
}
