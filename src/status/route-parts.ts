import type { Call } from '../http/call.ts'
import { type Field, parsed } from '../http/fields.ts'
import type { PreparedText } from '../http/prepared-text.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { type Access, open } from '../http/route.ts'
import { string, type TypeOf } from '../http/schema.ts'
import { readTimestamp } from '../lib/timestamps.ts'
import type { Component } from './component.ts'
import { errors } from './errors.ts'
import type { Heartbeat } from './schedule.ts'
import type * as schemas from './schemas.ts'
import type { StateStore } from './state-store.ts'
import type { Worker } from './worker.ts'

export interface StatusDeps {
  /** Refuses on a stand-by. */
  leader(): {
    readonly worker: Worker
    readonly store: StateStore
    now(): number
    /** The components that a target maps, and that have sent no heartbeat. */
    neverHeard(): readonly { readonly target: string; readonly components: readonly string[] }[]
  }
  diag(): Promise<TypeOf<typeof schemas.diag>>
  metrics(): string
  openapi(): Promise<PreparedText>
  heartbeat(componentId: string, heartbeat: Heartbeat): Promise<void> | undefined
  onHeartbeat(): void
  /** False if the leader does not know the component; a stand-by cannot tell. */
  mayKnow(componentId: string): boolean
  /** Whether GET may send heartbeats. */
  readonly getHeartbeats: boolean
}

/** The service has already checked the address against the allow-list. */
export const allowed: Access<null> = { ...open, label: 'addresses in STATUS_ALLOW' }

export const idOf = ({ params }: Call) => params.componentId as string

export const componentOf = ({ leader }: StatusDeps, call: Call): Component =>
  leader().worker.find(idOf(call)) ?? refuse(errors.unknown)

export const openapiType = 'application/json; charset=utf-8'

/** Of routes that only the leader serves. */
export const leaderErrors: readonly Refusal[] = [errors.standingBy]

/** PostgreSQL stores neither NUL nor lone surrogates; other control characters are unreadable. */
const readable = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd')

const maxTextLength = 500

/** A text that a sender adds. */
export const shortText = (
  invalid: Refusal,
  options: Pick<Parameters<typeof string>[0] & {}, 'description' | 'examples'>,
): Field<string | undefined> => ({
  schema: string({ ...options, maxLength: maxTextLength }),
  invalid,
  isStrict: true,
  read: (text) => (text.length <= maxTextLength ? readable(text) : undefined),
})

export const timeField = (description: string) => ({
  ...parsed(readTimestamp, {
    ...{ invalid: errors.badTime, empty: errors.badTime, description },
    examples: ['2026-06-01T12:00:00Z'],
  }),
  isStrict: true,
})
