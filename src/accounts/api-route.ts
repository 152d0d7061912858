import type { Sender } from '../http/call.ts'
import { defineRoute, type Route, type RouteSpec } from '../http/route.ts'
import type { RouteLimit } from '../limits/scopes.ts'
import type { Action } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Counts } from './counts.ts'

/** What each route of the API states beside what the kit needs. */
export interface RouteTags {
  /** Which limit applies beside the global one. */
  readonly limit: RouteLimit | null
  /** Which of the user's counters a request adds to. */
  readonly counts: keyof Counts | null
  /** The name under which the audit keeps refused and failed attempts. */
  readonly audit: Action | null
}

export type ApiRoute<Needs = never, Passage = never> = Route<Needs, Passage> & RouteTags

/** Only a route whose access makes a `Caller` can be audited. */
type TagsOf<Actor> = Actor extends Caller ? RouteTags : RouteTags & { readonly audit: null }

export const defineApiRoute = <
  Actor extends Sender | null,
  Body = null,
  Query = null,
  Needs = unknown,
  Passage = unknown,
>(
  spec: RouteSpec<Actor, Body, Query, Needs, Passage> & TagsOf<Actor>,
): ApiRoute<Needs, Passage> => defineRoute(spec) as ApiRoute<Needs, Passage>

/** For public routes that only the global limit covers. */
export const untagged = { envelope: 'message', limit: null, counts: null, audit: null } as const

/** The kit knows nothing of tags; every route that the API serves has them. */
export const tagsOf = (route: Route): RouteTags => route as ApiRoute
