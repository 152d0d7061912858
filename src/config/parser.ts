import { readFileSync } from 'node:fs'

/** `read` returns undefined for an invalid text. */
export interface Format<T> {
  readonly expected: string
  read(text: string): T | undefined
  /** Why a text is invalid, to follow it in the message; '' if `expected` says it all. */
  explain?(text: string): string
}

export interface Setting<T> {
  readonly format: Format<T>
  /** As an operator would write it; null means unset. */
  readonly default: string | null
  /** Shown in the documents if the default is not a fixed text. */
  readonly shownDefault?: string
  readonly help: string
  readonly secret?: boolean
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
export type Values<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends { format: Format<infer T>; default: infer D }
    ? D extends string
      ? T
      : T | null
    : never
}

/** Invalid settings. The message is one line, names the variables, and never shows a secret. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting'
}

export function setting<T, const D extends string | null>(
  spec: Omit<Setting<T>, 'default'> & { readonly default: D },
): Omit<Setting<T>, 'default'> & { readonly default: D } {
  return spec
}

/**
 * Reads every setting of the table, or throws one BadSetting about all that are invalid. An empty one counts as unset; a
 * secret may be read from a file (`NAME_FILE`).
 */
export function readSettings<const S extends Settings>(
  table: S,
  env: Readonly<Record<string, string | undefined>>,
): Values<S> {
  const problems: string[] = []
  const values = Object.entries(table).map(([name, spec]) => {
    try {
      return [name, readSetting(name, spec, env)]
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error
      problems.push(error.message)
      return [name, null]
    }
  })
  if (problems.length > 0) throw new BadSetting(problems.join('; '))
  return Object.fromEntries(values)
}

export function readSetting<T>(
  name: string,
  spec: Setting<T>,
  env: Readonly<Record<string, string | undefined>>,
): T | null {
  const text = env[name] || (spec.secret ? fromFile(name, env[`${name}_FILE`]) : '') || spec.default
  if (spec.secret && env[name] && env[`${name}_FILE`])
    throw new BadSetting(`${name} and ${name}_FILE are both set; remove one`)
  if (text === null) return null
  const value = spec.format.read(text)
  if (value !== undefined) return value
  // A URL may contain a password or key even if the setting is not secret.
  const hidden = spec.secret || /[@?]/.test(text)
  const got = hidden ? 'an invalid value' : JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  throw new BadSetting(
    `${name}: expected ${spec.format.expected}, got ${got}${hidden ? '' : (spec.format.explain?.(text) ?? '')}`,
  )
}

function fromFile(name: string, path: string | undefined): string {
  if (!path) return ''
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new BadSetting(
      `${name}_FILE: expected a readable file, got ${JSON.stringify(path)} (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  if (text === '')
    throw new BadSetting(`${name}_FILE: expected a file with a value, got an empty one: ${JSON.stringify(path)}`)
  return text
}
