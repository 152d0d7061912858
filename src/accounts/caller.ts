import type { Call, Sender } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import type { Access } from '../http/route.ts'
import type { Origin } from './audit.ts'
import { errors } from './errors.ts'
import type { Who } from './users.ts'

/**
 * The sender of a request, and the target of its act. A route's access creates it, use cases get it as the `Origin` of
 * their act and `noteTarget` it, and the audit reads it when the request is refused or fails.
 */
export class Caller implements Sender, Origin {
  readonly address: string
  readonly requestId: string
  /** Null until proven: for register and login, until they succeed. */
  userId: string | null
  target: string | null = null
  /** The account that the body names, until it is looked up. */
  named: Who | null = null

  constructor({ address, requestId }: Pick<Call, 'address' | 'requestId'>, userId: string | null = null) {
    this.address = address
    this.requestId = requestId
    this.userId = userId
  }

  get actor(): string | null {
    return this.userId
  }

  noteTarget(target: string | null): void {
    this.target = target
    this.named = null
  }
}

/** Like `open`, but refusals are audited. */
export const anyone: Access<Caller> = { label: 'everybody', errors: [], admit: (call) => new Caller(call) }

/** Refuses before there is a caller, so that attempts that cost nothing do not fill the audit. */
export const newcomers: Access<Caller, { readonly isRegistrationOpen: boolean }> = {
  label: 'everybody, unless `REGISTRATION` is `closed`',
  errors: [errors.registrationClosed],
  admit: (call, { isRegistrationOpen }) => (isRegistrationOpen ? new Caller(call) : refuse(errors.registrationClosed)),
}
