import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Ask, Standing } from './counters.ts'
import type { Scope, ScopeName, Scopes } from './scopes.ts'

/** What clients are told of the limits. All that is the same for a scope, or a window, is put together once. */
export interface Telling {
  /** Lines for the head of an answer. */
  lines(scope: Scope, remaining: number, endsAt: number, isRefused: boolean): string
  /** How somebody stands in each of them: entries of a JSON list. */
  entries(asks: readonly Ask[], standings: readonly Standing[]): string
}

/** The clocks are read one after the other, and go a little apart: one window must not seem to end at two times. */
const jitterMs = 20

export function createTelling(scopes: Scopes, clock: Clock): Telling {
  let offset = clock.now() - clock.monotonic()
  const look = () => {
    const found = clock.now() - clock.monotonic()
    if (Math.abs(found - offset) > jitterMs) offset = found
  }

  const headOf = textsOf(scopes, ({ max }) => `X-RateLimit-Limit: ${max}\r\nX-RateLimit-Remaining: `)
  const entryOf = textsOf(scopes, ({ name, max }) => `{"scope":"${name}","limit":${max},"remaining":`)

  const untouched = textsOf(scopes, ({ name, max }) => `${entryOf[name]}${max},"resetAt":null}`)

  /** The last ends that were told: many are told the same. */
  const ends = new Map<ScopeName, { readonly wall: number; readonly text: string }>()
  const endText = (name: ScopeName, endsAt: number): string => {
    const wall = Math.round(endsAt + offset)
    const last = ends.get(name)
    if (last?.wall === wall) return last.text
    const text = `"${isoTime(wall)}"`
    ends.set(name, { wall, text })
    return text
  }

  const entry = ({ name, max }: Scope, { count, pending, endsAt }: Standing): string => {
    if (count === 0 && pending === 0) return untouched[name]
    return `${entryOf[name]}${Math.max(0, max - count)},"resetAt":${endText(name, endsAt)}}`
  }

  return {
    lines({ name }, remaining, endsAt, isRefused) {
      look()
      const lines = `${headOf[name]}${remaining}\r\nX-RateLimit-Reset: ${Math.ceil((endsAt + offset) / 1000)}\r\n`
      if (!isRefused) return lines
      return `${lines}Retry-After: ${Math.max(1, Math.ceil((endsAt - clock.monotonic()) / 1000))}\r\n`
    },
    entries(asks, standings) {
      look()
      let text = ''
      for (let index = 0; index < asks.length; index++) {
        const { scope } = asks[index] as Ask
        text += (index === 0 ? '' : ',') + entry(scope, standings[index] as Standing)
      }
      return text
    },
  }
}

const textsOf = (scopes: Scopes, textOf: (scope: Scope) => string) =>
  Object.fromEntries(Object.values(scopes).map((scope) => [scope.name, textOf(scope)])) as Record<ScopeName, string>
