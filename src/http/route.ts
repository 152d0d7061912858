import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call, Sender } from './call.ts'
import { protocolErrors } from './errors.ts'
import { type Fields, fieldErrors } from './fields.ts'
import type { Headers } from './headers.ts'
import type { Envelope, Refusal } from './refusal.ts'
import type { Schema } from './schema.ts'

/** Who may call a route; checked before the body is read. */
export interface Access<Actor extends Sender | null, Needs = unknown, Passage = unknown> {
  readonly label: string
  readonly errors: readonly Refusal[]
  /** Returns who sent the request, or refuses it. */
  readonly admit: (call: Call, needs: Needs, passage: Passage) => MaybePromise<Actor>
  /** Refuses a known sender who is not allowed to do this. */
  permit?(actor: Actor): void
}

export const open: Access<null> = { label: 'everybody', errors: [], admit: () => null }

export interface ReplySpec {
  readonly status: number
  /** A JSON reply has a schema, any other body a media type; a reply without a body has neither. */
  readonly schema?: Schema
  readonly type?: string
  /** Other media types with the same status. */
  readonly also?: readonly string[]
  /** For the reference: headers of this reply. */
  readonly headers?: Readonly<Record<string, Schema>>
  readonly description?: string
}

export interface Upload {
  /** For the reference: the types it accepts, and an example. */
  readonly types: string
  readonly example: string
  readonly description: string
  /** False: the request may have no body. */
  readonly isRequired: boolean
}

/** For the reference: a call with these values instead of the default examples. */
export interface SampleCall {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Not shown in other languages. */
  readonly isOnlyCurl?: true
}

/** A static value: the service passes in what its functions need, such as a store. */
export interface RouteSpec<Actor extends Sender | null, Body, Query, Needs = unknown, Passage = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `:name` matches one segment. */
  readonly path: string
  /** For the reference: each such segment, with an example. The handler validates it. */
  readonly params?: Readonly<Record<string, Schema>>
  /** For the reference: routes with the same template are described once, under it. */
  readonly template?: string
  /** For the reference: the method name in generated clients. */
  readonly operationId: string
  /** For the reference: calls shown in several languages. */
  readonly samples?: readonly SampleCall[]
  readonly summary: string
  readonly description?: string
  readonly access: Access<Actor, Needs, Passage>
  readonly envelope: Envelope
  /** A path parameter is a secret: the log shows `path` instead. */
  readonly hasSecretPath?: true
  /** Called often by machines: a success is logged at level debug. */
  readonly isRoutine?: boolean
  /** The message of the 500 that the contract names for this route. */
  readonly onFailure?: string
  readonly body?: Fields<Body>
  /** Called with the body before its fields are validated, so that the actor can note whom the body names. */
  readonly preview?: (read: (name: string) => unknown, actor: Actor) => void
  readonly bodyLimitBytes?: number
  /** The fields of `body` as text, if it may be sent as `application/x-www-form-urlencoded`; JSON may then be, too. */
  readonly form?: Fields<Body>
  /** Overrides the error for a body that is not valid JSON. */
  readonly badJson?: Refusal
  readonly query?: Fields<Query>
  /** A non-JSON body, which the handler reads itself (body-stream.ts). */
  readonly upload?: Upload
  /** Override the default headers of every JSON response of this route, including errors. */
  readonly headers?: Headers
  /**
   * Compressed for clients that accept it. Only for lists: the length of a compressed reply reveals something about its
   * content, so a secret must not share it with caller-chosen text (BREACH). Has an ETag unless it is streamed.
   */
  readonly isCompressed?: true
  readonly reply: ReplySpec | readonly ReplySpec[]
  readonly errors: readonly Refusal[]
  readonly handle: (call: Call<Actor, Body, Query>, needs: Needs, passage: Passage) => MaybePromise<unknown>
}

/** A route with its types erased. With the default `Needs` it can be described but not called. */
export type Route<Needs = never, Passage = never> = RouteSpec<Sender | null, unknown, unknown, Needs, Passage>

export function defineRoute<Actor extends Sender | null, Body = null, Query = null, Needs = unknown, Passage = unknown>(
  spec: RouteSpec<Actor, Body, Query, Needs, Passage>,
): Route<Needs, Passage> {
  return spec as unknown as Route<Needs, Passage>
}

/** The reply for a plain value. */
export const firstReplyOf = ({ reply }: Route): ReplySpec => ('status' in reply ? reply : (reply[0] as ReplySpec))

export const repliesOf = ({ reply, isCompressed }: Route): readonly ReplySpec[] => [
  ...([reply].flat() as ReplySpec[]),
  ...(isCompressed ? [notModified] : []),
]

export const notModified: ReplySpec = { status: 304, description: 'The client has the current version' }

export const needsToken = ({ access }: Route) => access.errors.some(({ status }) => status === 401)

/** Every error of this route: its own, and those of the access check, query and body. */
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
