import { type Action, actions, type Outcome, outcomes } from '../../../../src/accounts/actions.ts'

/** State in the address of the page, which can be sent to others. */
export interface AuditSearch {
  readonly id?: string
  readonly actor?: string
  readonly target?: string
  readonly action?: Action
  readonly outcome?: Outcome
  readonly from?: string
  readonly to?: string
}

const texts = ['id', 'actor', 'target', 'from', 'to'] as const

export function readAuditSearch(found: Record<string, unknown>): AuditSearch {
  const given = texts.filter((name) => found[name] !== undefined && found[name] !== '')
  const action = actions.find((each) => each === found.action)
  const outcome = outcomes.find((each) => each === found.outcome)
  const chosen = { ...(action && { action }), ...(outcome && { outcome }) }
  return { ...Object.fromEntries(given.map((name) => [name, String(found[name])])), ...chosen }
}
