import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call } from './call.ts'
import { protocolErrors } from './errors.ts'
import { type Fields, fieldErrors } from './fields.ts'
import type { Headers } from './headers.ts'
import type { Envelope, Refusal } from './refusal.ts'
import type { Schema } from './schema.ts'

/** Who may call a route. `admit` answers with the actor or refuses; it never sees the body. */
export interface Access<Actor, Needs = unknown> {
  readonly label: string
  readonly errors: readonly Refusal[]
  readonly admit: (call: Call, needs: Needs) => MaybePromise<Actor>
}

export const open: Access<null> = { label: 'everybody', errors: [], admit: () => null }

export interface ReplySpec {
  readonly status: number
  /** A JSON reply has a schema, any other a media type; one without a body has neither. */
  readonly schema?: Schema
  readonly type?: string
  /** Further media types that the same status may have. */
  readonly also?: readonly string[]
  readonly description?: string
}

export interface Upload {
  /** For the reference: which types it takes, and an example of one. */
  readonly types: string
  readonly example: string
  readonly description: string
}

/** A static value: what its functions need besides the call, such as a store, the service passes to them. */
export interface RouteSpec<Actor, Body, Query, Needs = unknown, Passage = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `:name` stands for one segment. */
  readonly path: string
  /** For the reference: what such a segment is, with an example. The handler judges it. */
  readonly params?: Readonly<Record<string, Schema>>
  /** For the reference: routes with one template, which differ in a segment of it, are described once, under it. */
  readonly template?: string
  readonly summary: string
  readonly description?: string
  readonly access: Access<Actor, Needs>
  readonly envelope: Envelope
  /** What is taken is called often and by rote: it has a line in the log only at level debug. */
  readonly isRoutine?: boolean
  /** The text of the 500 that the contract names for this route. */
  readonly onFailure?: string
  readonly body?: Fields<Body>
  /** Whom or what a body names, whatever else is wrong with it: for the audit of what is refused before it is looked up. */
  readonly about?: (read: (name: string) => unknown) => unknown
  readonly bodyLimitBytes?: number
  /** In the place of the usual words for a body that is not valid JSON. */
  readonly badJson?: Refusal
  readonly query?: Fields<Query>
  /** What it takes instead of JSON, and reads itself (body-stream.ts). */
  readonly upload?: Upload
  /** On every JSON answer of this route, errors too, in the place of the usual ones. */
  readonly headers?: Headers
  readonly reply: ReplySpec | readonly ReplySpec[]
  readonly errors: readonly Refusal[]
  readonly handle: (call: Call<Actor, Body, Query>, needs: Needs, passage: Passage) => MaybePromise<unknown>
}

/** A route with its types erased; where `Needs` is unknown, it can be described but not called. */
export type Route<Needs = never, Passage = never> = RouteSpec<unknown, unknown, unknown, Needs, Passage>

export function defineRoute<Actor, Body = null, Query = null, Needs = unknown, Passage = unknown>(
  spec: RouteSpec<Actor, Body, Query, Needs, Passage>,
): Route<Needs, Passage> {
  return spec as unknown as Route<Needs, Passage>
}

/** The one that a plain value is answered with. */
export const firstReplyOf = ({ reply }: Route): ReplySpec => ('status' in reply ? reply : (reply[0] as ReplySpec))

export const repliesOf = (route: Route): readonly ReplySpec[] => [route.reply].flat() as ReplySpec[]

/** Every refusal this route may answer: of the guard, of its query, of its body, its own. */
export function errorsOf(route: Route): readonly Refusal[] {
  const body = route.body
    ? [
        protocolErrors.badEncoding,
        protocolErrors.badType,
        protocolErrors.tooLarge,
        route.badJson ?? protocolErrors.badJson,
        protocolErrors.timeout,
      ]
    : []
  const upload = route.upload ? [protocolErrors.badEncoding, protocolErrors.tooLarge, protocolErrors.timeout] : []
  const failure = route.onFailure ? [{ status: 500, message: route.onFailure, when: 'anything else fails' }] : []
  const fieldsOf = (input: Route['body'] | Route['query']) => (input ? fieldErrors(input) : [])
  return [
    ...new Set([
      ...route.access.errors,
      ...fieldsOf(route.query),
      ...body,
      ...fieldsOf(route.body),
      ...upload,
      ...route.errors,
      ...failure,
    ]),
  ]
}
