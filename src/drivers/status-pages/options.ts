import type { Clock } from '../../lib/clock.ts'
import { BadSetting } from '../../lib/settings.ts'

/** What a page is made of. */
export interface PageOptions {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string | null
  /** What the page calls our components; null: nothing is said about them. */
  readonly components: ReadonlyMap<string, string> | null
  readonly clock: Clock
  /** Names this worker's state, and outlives a restart as the state does. */
  readonly source: string
  readonly timeoutMs?: number
}

const isVisible = (text: string) => /^[\x21-\x7e]+$/.test(text)

export function neededToken({ token }: PageOptions, why: string): string {
  if (token === null) throw new BadSetting(`STATUS_SERVICE_TOKEN: expected a value, got none: ${why}`)
  return token
}

/** For a token that is sent in a header. */
export function sendable(token: string, name = 'STATUS_SERVICE_TOKEN'): string {
  if (isVisible(token)) return token
  throw new BadSetting(`${name}: expected a token of visible ASCII characters, got another value`)
}

export function neededComponents({ components }: PageOptions, what: string): ReadonlyMap<string, string> {
  if (components !== null && components.size > 0) return components
  throw new BadSetting(`STATUS_SERVICE_COMPONENTS: expected ${what}, got none`)
}

/** For a page that takes our names: a mapping would be silently without effect. */
export function noComponents({ components }: PageOptions, kind: string): void {
  if (components === null || components.size === 0) return
  throw new BadSetting(`STATUS_SERVICE_COMPONENTS: expected nothing, got a mapping: ${kind} takes our own names`)
}
