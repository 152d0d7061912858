import type { Sender } from '../http/call.ts'
import { defineRoute, needsToken, open, type Route, type RouteSpec } from '../http/route.ts'
import type { RouteLimit } from '../limits/scopes.ts'
import type { Action } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Counts } from './counts.ts'
import { keyErrors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { KeyScope } from './keys.ts'

/** What each route of the API declares on top of what the kit needs. */
export interface RouteTags {
  /** Which limit applies in addition to the global one. */
  readonly limit: RouteLimit | null
  /** Which of the user's counters a request adds to. */
  readonly counts: keyof Counts | null
  /** The action under which the audit records refused and failed attempts. */
  readonly audit: Action | null
  /** Which API keys open the route: those with this scope, `any`, or none. */
  readonly keyScope: KeyScope | 'any' | null
}

export type ApiRoute<Needs = never, Passage = never> = Route<Needs, Passage> & RouteTags

/** Only a route whose access creates a `Caller` can be audited, and only a guarded one can be opened by a key. */
type TagsOf<From> = From extends Actor
  ? RouteTags
  : RouteTags & { readonly keyScope: null } & (From extends Caller ? unknown : { readonly audit: null })

export const defineApiRoute = <
  From extends Sender | null,
  Body = null,
  Query = null,
  Needs = unknown,
  Passage = unknown,
>(
  spec: RouteSpec<From, Body, Query, Needs, Passage> & TagsOf<From>,
): ApiRoute<Needs, Passage> => {
  const route = defineRoute(spec) as ApiRoute<Needs, Passage>
  const { keyScope } = route
  if (!needsToken(route) || keyScope === 'any') return route
  return { ...route, access: { ...route.access, errors: [...route.access.errors, keyErrors[`${keyScope}`]] } }
}

/** What public pages share: only the global limit covers them. */
export const publicPage = {
  method: 'GET',
  access: open,
  envelope: 'message',
  limit: null,
  counts: null,
  audit: null,
  keyScope: null,
  errors: [],
} as const

/** Of the routes of administrators and moderators. */
export const administration = { envelope: 'status', limit: null, counts: 'admin' } as const

/** The kit knows nothing of tags; every route that the API serves has them. */
export const tagsOf = (route: Route): RouteTags => route as ApiRoute
