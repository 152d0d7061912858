import { BadSetting } from '../../config/parser.ts'
import type { Clock } from '../../lib/clock.ts'

/** What a page is made of. */
export interface PageOptions {
  /** Without a slash at its end; for a webhook as it is written. */
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

/** An address may hold a secret: it is not shown. */
export const badUrl = (what: string) => new BadSetting(`STATUS_SERVICE_URL: expected ${what}, got another value`)

/** Two of ours would overwrite each other there; `nameOf` says what of a value is the name. */
export function neededComponents(
  { components }: PageOptions,
  what: string,
  nameOf = (value: string) => value,
): ReadonlyMap<string, string> {
  if (components === null || components.size === 0)
    throw new BadSetting(`STATUS_SERVICE_COMPONENTS: expected ${what}, got none`)
  const ours = new Map<string, string>()
  for (const [id, value] of components) {
    const other = ours.get(nameOf(value))
    if (other !== undefined)
      throw new BadSetting(`STATUS_SERVICE_COMPONENTS: expected another name for each, got one for ${other} and ${id}`)
    ours.set(nameOf(value), id)
  }
  return components
}

/** For a page that takes our names: a mapping would be silently without effect. */
export function noComponents({ components }: PageOptions, kind: string): void {
  if (components === null || components.size === 0) return
  throw new BadSetting(`STATUS_SERVICE_COMPONENTS: expected nothing, got a mapping: ${kind} takes our own names`)
}
