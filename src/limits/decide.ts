import type { CounterOp, CounterState } from './counters.ts'
import type { Scope } from './scopes.ts'

export interface Decision {
  /** The scope that refuses; if several do, the one whose window ends last. */
  readonly refusedBy: Scope | null
  readonly delayMs: number
  /** The scope that the headers show: the one that refuses, else the one with the fewest requests left. */
  readonly shown: Scope
  readonly remaining: number
  readonly endsAt: number
}

/** Judges a request by its counters; null if nothing counted it. */
export function decide(ops: readonly CounterOp[], states: readonly CounterState[]): Decision | null {
  let refusedBy: Scope | null = null
  let delayMs = 0
  let shown: Scope | null = null
  let remaining = Infinity
  let endsAt = 0
  for (let index = 0; index < ops.length; index++) {
    const { scope, act } = ops[index] as CounterOp
    const state = states[index] as CounterState
    if (act === 'peek') continue
    const refuses = isRefused(scope, act, state)
    const left = refuses ? 0 : scope.max - state.count
    const isShown = refuses ? refusedBy === null || state.endsAt > endsAt : refusedBy === null && left < remaining
    if (refuses && isShown) refusedBy = scope
    if (isShown) {
      shown = scope
      remaining = left
      endsAt = state.endsAt
    }
    if (act === 'count') delayMs = Math.max(delayMs, delayOf(scope, state.count))
  }
  return shown && { refusedBy, delayMs: refusedBy ? 0 : delayMs, shown, remaining, endsAt }
}

/** A request is included in its own count; a login only once it has failed. */
export const isRefused = ({ max }: Scope, act: CounterOp['act'], { count, reserved }: CounterState): boolean =>
  act === 'count' ? count > max : !reserved && count >= max

const delayOf = ({ slow }: Scope, count: number): number =>
  slow === null || count <= slow.after ? 0 : Math.min(slow.capMs, (count - slow.after) * slow.stepMs)
