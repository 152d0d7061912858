import { onlyAdministrators } from '../../accounts/access.ts'
import type { Caller } from '../../accounts/caller.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import { carryOut } from './acts.ts'
import type { AdminStatusDeps } from './parts.ts'
import { tellLeader } from './tell-leader.ts'

/* What the routes that change something at the worker share. */

export const writing = {
  access: onlyAdministrators,
  envelope: 'status',
  limit: null,
  counts: 'admin',
  keyScope: null,
} as const

export const actAs = ({ statusWorkers, records }: AdminStatusDeps, by: Caller, act: Parameters<typeof carryOut>[2]) =>
  carryOut({ records, tell: (order) => tellLeader(statusWorkers, order) }, by, act)

/** Refuses before any worker is asked. */
export function checked(id: string, isValid: (id: string) => boolean, refusal: Refusal, by: Caller): string {
  if (!isValid(id)) refuse(refusal)
  by.noteTarget(id)
  return id
}
