import type { Call } from '../http/call.ts'
import type { PreparedText } from '../http/prepared-text.ts'
import { type Refusal, refuse, refusedFor } from '../http/refusal.ts'
import { type Access, open } from '../http/route.ts'
import type { TypeOf } from '../http/schema.ts'
import type { AuditQueue, ChangeAction } from './audit.ts'
import type { Change } from './changes.ts'
import type { Component } from './component.ts'
import { errors } from './errors.ts'
import type { Links } from './links.ts'
import type * as schemas from './schemas.ts'
import type { StateStore } from './state-store.ts'
import type { Targets } from './targets.ts'
import type { Worker } from './worker.ts'

export interface StatusDeps {
  /** Refuses on a stand-by. */
  leader(): {
    readonly worker: Worker
    readonly store: StateStore
    readonly auditQueue: AuditQueue
    readonly links: Links
    now(): number
    /** The components that a target maps but that have sent no heartbeat. */
    neverHeard(): readonly { readonly target: string; readonly components: readonly string[] }[]
  }
  diag(waitMs?: number): Promise<TypeOf<typeof schemas.diag>>
  readonly targets: Targets
  metrics(): string
  openapi(): Promise<PreparedText>
  /** Of the leader, even while the lease may be lost. Refuses on a stand-by. */
  worker(): Pick<Worker, 'heartbeat' | 'startRun'>
  onHeartbeat(address: string): void
  /** False if the leader does not know the component. A stand-by cannot tell, so true. */
  mayKnow(componentId: string): boolean
  /** Whether requests from this address may change more than a heartbeat does. */
  mayChange(address: string): boolean
  /** Audits that a change was refused for its address. A stand-by, which refuses all changes, only logs it. */
  changeRefused(call: Call, action: ChangeAction, message: string): void
  /** Whether GET may send heartbeats. */
  readonly getHeartbeats: boolean
}

/** The service has already checked the address against the allow-list. */
export const allowed: Access<null> = { ...open, label: 'addresses in STATUS_ALLOW' }

const allowedToChange = (action: ChangeAction): Access<null, StatusDeps> => ({
  label: 'addresses in STATUS_ADMIN_ALLOW',
  errors: [errors.changesForbidden],
  admit(call, { mayChange, changeRefused }) {
    if (mayChange(call.address)) return null
    changeRefused(call, action, errors.changesForbidden.message)
    throw refusedFor(errors.changesForbidden, `${call.address} is not in STATUS_ADMIN_ALLOW`)
  },
})

export const reading = { method: 'GET', access: allowed, envelope: 'ok' } as const

export const changing = ({ action, method, status = 200, schema, refusals }: Change) =>
  ({
    method,
    access: allowedToChange(action),
    envelope: 'ok',
    badJson: errors.badJson,
    reply: { status, schema },
    errors: [...refusals, errors.standingBy],
  }) as const

export const idOf = ({ params }: Call) => params.componentId as string

export const componentOf = ({ leader }: StatusDeps, call: Call): Component =>
  leader().worker.find(idOf(call)) ?? refuse(errors.unknown)

export const openapiType = 'application/json; charset=utf-8'

/** Max rows per page. */
export const maxLimit = 500

/** For routes that only the leader serves. */
export const leaderErrors: readonly Refusal[] = [errors.standingBy]
