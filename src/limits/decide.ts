import type { Ask, Standing } from './counters.ts'
import type { Scope } from './scopes.ts'

export interface Verdict {
  /** Of those that refuse, the one that lasts longest. */
  readonly refusedBy: Scope | null
  readonly delayMs: number
  /** The scope that the headers tell of: the one that refuses, else the one with the fewest left. */
  readonly told: Scope
  readonly remaining: number
  readonly endsAt: number
}

/** What becomes of a request that stands so in the scopes that it was counted in; null where there are none. */
export function decide(asks: readonly Ask[], standings: readonly Standing[]): Verdict | null {
  let refusedBy: Scope | null = null
  let delayMs = 0
  let told: Scope | null = null
  let remaining = Infinity
  let endsAt = 0
  for (let index = 0; index < asks.length; index++) {
    const { scope, act } = asks[index] as Ask
    const standing = standings[index] as Standing
    if (act === 'look') continue
    const refuses = isRefused(scope, act, standing)
    const left = refuses ? 0 : scope.max - standing.count
    const isTold = refuses ? refusedBy === null || standing.endsAt > endsAt : refusedBy === null && left < remaining
    if (refuses && isTold) refusedBy = scope
    if (isTold) {
      told = scope
      remaining = left
      endsAt = standing.endsAt
    }
    if (act === 'add') delayMs = Math.max(delayMs, delayOf(scope, standing.count))
  }
  return told && { refusedBy, delayMs: refusedBy ? 0 : delayMs, told, remaining, endsAt }
}

/** A request is counted when it is judged; a guess is not, before its outcome is known. */
export const isRefused = ({ max }: Scope, act: Ask['act'], { count, taken }: Standing): boolean =>
  act === 'add' ? count > max : !taken && count >= max

const delayOf = ({ slow }: Scope, count: number): number =>
  slow === null || count <= slow.after ? 0 : Math.min(slow.capMs, (count - slow.after) * slow.stepMs)
