import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { CounterOp, CounterState } from './counters.ts'
import type { Scope, ScopeName, Scopes } from './scopes.ts'

export interface Counted {
  readonly ops: readonly CounterOp[]
  readonly states: readonly CounterState[]
}

/** The two clocks drift. Within this, the offset is kept, so that a window does not appear to end at two times. */
const jitterMs = 20

/** What clients see of the limits. Text that depends only on a scope or window is built once. */
export function createLimitReport(scopes: Scopes, clock: Clock) {
  let offset = clock.now() - clock.monotonic()
  const correctOffset = () => {
    const found = clock.now() - clock.monotonic()
    if (Math.abs(found - offset) > jitterMs) offset = found
  }

  const headOf = textsOf(scopes, ({ max }) => `X-RateLimit-Limit: ${max}\r\nX-RateLimit-Remaining: `)
  const entryOf = textsOf(scopes, ({ name, max }) => `{"scope":"${name}","limit":${max},"remaining":`)

  const untouched = textsOf(scopes, (scope) => `${entryOf(scope)}${scope.max},"resetAt":null}`)

  /** The last window end shown for each scope: many requests show the same. */
  const ends = new Map<ScopeName, { readonly wall: number; readonly text: string }>()
  const endText = (name: ScopeName, endsAt: number): string => {
    const wall = Math.round(endsAt + offset)
    const last = ends.get(name)
    if (last?.wall === wall) return last.text
    const text = `"${isoTime(wall)}"`
    ends.set(name, { wall, text })
    return text
  }

  const entry = (scope: Scope, { count, pending, endsAt }: CounterState): string => {
    if (count === 0 && pending === 0) return untouched(scope)
    return `${entryOf(scope)}${Math.max(0, scope.max - count)},"resetAt":${endText(scope.name, endsAt)}}`
  }

  return {
    /** Header lines of a response. */
    lines(scope: Scope, remaining: number, endsAt: number, isRefused: boolean): string {
      correctOffset()
      const lines = `${headOf(scope)}${remaining}\r\nX-RateLimit-Reset: ${Math.ceil((endsAt + offset) / 1000)}\r\n`
      if (!isRefused) return lines
      return `${lines}Retry-After: ${Math.max(1, Math.ceil((endsAt - clock.monotonic()) / 1000))}\r\n`
    },
    /** A subject's state in each scope, as a JSON array. */
    list(counted: readonly Counted[]): string {
      correctOffset()
      let text = ''
      for (const { ops, states } of counted)
        for (let index = 0; index < ops.length; index++)
          text += (text === '' ? '[' : ',') + entry((ops[index] as CounterOp).scope, states[index] as CounterState)
      return text === '' ? '[]' : `${text}]`
    },
  }
}

/** Built once per scope of the settings, but not for API keys, whose limits are too many. */
function textsOf(scopes: Scopes, textOf: (scope: Scope) => string): (scope: Scope) => string {
  const built: Partial<Record<ScopeName, string>> = Object.fromEntries(
    Object.values(scopes).map((scope) => [scope.name, textOf(scope)]),
  )
  return (scope) => built[scope.name] ?? textOf(scope)
}
