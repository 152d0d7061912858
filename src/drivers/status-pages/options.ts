import { BadSetting } from '../../config/parser.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Names } from './alert-text.ts'
import { parseTemplate, type Template } from './template.ts'

export interface StatusPageOptions {
  /** Prefix of the names of its settings. */
  readonly prefix: string
  /** Without a trailing slash; for a webhook, exactly as configured. */
  readonly url: string
  readonly token: string | null
  /** The page's own names for our components, '' for a component without one; null if unset. */
  readonly components: ReadonlyMap<string, string> | null
  readonly clock: Clock
  /** How often an alert channel repeats an outage; never if unset. */
  readonly reminderMs?: number | null
  /** Sender address of mail. */
  readonly from?: string | null
  /** Recipients of mail, or the chat. */
  readonly to?: string | null
  /** For messages; our own text if unset. */
  readonly template?: string | null
  /** Ids without links if unset. */
  readonly names?: Names
  /** Identifies this worker's state across restarts. */
  readonly source: string
  readonly timeoutMs?: number
}

type Named = Pick<StatusPageOptions, 'prefix'>

export function requiredToken({ prefix, token }: StatusPageOptions, why: string): string {
  if (token === null) throw new BadSetting(`${prefix}_TOKEN: expected a value, got none: ${why}`)
  return token
}

const ownNames: Names = { labelOf: (id) => id, linkOf: () => null }

export const namesOf = ({ names = ownNames }: StatusPageOptions): Names => names

/** Null if unset. */
export function templateOf({ prefix, template = null }: StatusPageOptions): Template | null {
  const parsed = template === null ? null : parseTemplate(template)
  if (typeof parsed !== 'string') return parsed
  throw badTemplate({ prefix }, parsed)
}

export const badTemplate = ({ prefix }: Named, expected: string) =>
  new BadSetting(`${prefix}_TEMPLATE: expected ${expected}`)

/** ops@example.org or Ops <ops@example.org>. */
const isAddress = (text: string) => /^(?:[^<>,\r\n]*<[^<>,@\s]+@[^<>,@\s]+>|[^<>,@\s]+@[^<>,@\s]+)$/.test(text)

export function mailAddresses({ prefix }: Named, row: string, value: string | null | undefined): readonly string[] {
  const addresses = (value ?? '').trim().split(/\s*,\s*/)
  if (addresses.every(isAddress)) return addresses
  throw new BadSetting(
    `${prefix}_${row}: expected mail addresses such as ops@example.org, got ${value ? JSON.stringify(value) : 'none'}`,
  )
}

/** Only visible ASCII can be sent in a header. */
export function visibleAscii(token: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new BadSetting(`${name}: expected a token of visible ASCII characters, got an invalid value`)
}

export const bearerToken = (options: StatusPageOptions, why: string): string =>
  visibleAscii(requiredToken(options, why), `${options.prefix}_TOKEN`)

export const badToken = ({ prefix }: Named, expected: string) =>
  new BadSetting(`${prefix}_TOKEN: expected ${expected}, got an invalid value`)

export const badChat = ({ prefix }: Named, chat: string | null) =>
  new BadSetting(
    `${prefix}_TO: expected the id of a chat or @channel, got ${chat === null ? 'none' : JSON.stringify(chat)}`,
  )

/** Does not show the URL, which may contain a secret. */
export const badUrl = ({ prefix }: Named, expected: string) =>
  new BadSetting(`${prefix}_URL: expected ${expected}, got an invalid value`)

export const badComponents = ({ prefix }: Named, problem: string) =>
  new BadSetting(`${prefix}_COMPONENTS: expected ${problem}`)

/** Refuses two components with the same name on the page: one would overwrite the other. `nameOf` extracts the name. */
export function requiredComponents(
  options: StatusPageOptions,
  what: string,
  nameOf = (value: string) => value,
): ReadonlyMap<string, string> {
  const { components } = options
  if (components === null || components.size === 0) throw badComponents(options, `${what}, got none`)
  const owners = new Map<string, string>()
  for (const [id, value] of components) {
    if (value === '') throw badComponents(options, `${what}, got ${id} alone`)
    const other = owners.get(nameOf(value))
    if (other !== undefined) throw badComponents(options, `another name for each, got one for ${other} and ${id}`)
    owners.set(nameOf(value), id)
  }
  return components
}

/** For a target that uses our names: which components it gets. */
export function ownComponents(options: StatusPageOptions, kind: string): (componentId: string) => boolean {
  const { components } = options
  if (components === null) return () => true
  for (const [id, value] of components)
    if (value !== '') throw badComponents(options, `our components, got a name for ${id}: ${kind} uses our own names`)
  return (componentId) => components.has(componentId)
}
