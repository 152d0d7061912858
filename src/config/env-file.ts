import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { BadSetting } from './parser.ts'

/** In the working directory. */
export const envFileName = '.env'

/** Adds the variables of `.env` in the working directory to `env`, where existing ones win. Returns its path if any. */
export function loadEnvFile(env: NodeJS.ProcessEnv): string | null {
  const text = readText(envFileName)
  if (text === null) return null
  const path = resolve(envFileName)
  const badLine = badLineOf(text)
  if (badLine !== null)
    throw new BadSetting(`${path}, line ${badLine}: expected NAME=value or a comment, with every quote closed`)
  const isSet = Object.keys(env)
  for (const [name, value] of Object.entries(parseEnv(text)))
    if (!isSet.includes(name) && !isSet.includes(otherSourceOf(name))) env[name] = value
  return path
}

const nameOfEntry = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/
const cutValue = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(?!\s*["'`])[^#]*(?<=\S)#/

/**
 * Names in `.env` whose values end where they probably should not, as without quotes a comment begins at any `#`, and
 * those that are there more than once.
 */
export function doubtfulNames(): { readonly cut: ReadonlySet<string>; readonly repeated: ReadonlySet<string> } {
  const entries = [...entriesOf(readText(envFileName) ?? '')]
  const matches = (pattern: RegExp) =>
    entries.map((entry) => pattern.exec(entry)?.[1]).filter((name) => name !== undefined)
  const names = matches(nameOfEntry)
  return { cut: new Set(matches(cutValue)), repeated: new Set(names.filter((name, at) => names.indexOf(name) < at)) }
}

/** The other variable of a secret: NAME and NAME_FILE must not both be set. */
const otherSourceOf = (name: string) => (name.endsWith('_FILE') ? name.slice(0, -5) : `${name}_FILE`)

function readText(file: string): string | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new BadSetting(`${resolve(file)}: expected a readable file (${code})`)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text.replaceAll('\r\n', '\n')
  } catch {}
  throw new BadSetting(`${resolve(file)}: expected text in UTF-8`)
}

const blank = '[^\\S\\n]*'
const comment = `${blank}(?:#[^\\n]*)?`
const quoted = [...'"\'`'].map((quote) => `${quote}[^${quote}]*${quote}${comment}`).join('|')
const entry = new RegExp(
  `${blank}(?:export\\s+)?[A-Za-z_][\\w.-]*${blank}=${blank}(?:${quoted}|(?!["'\`])[^\\n]*)(?:\\n|$)|${comment}(?:\\n|$)`,
  'y',
)

/** Node's parser skips what it does not understand. */
function badLineOf(text: string): number | null {
  const known = [...entriesOf(text)].join('')
  return known.length < text.length ? known.split('\n').length : null
}

/** Up to the first that is none. */
function* entriesOf(text: string): Generator<string, void, void> {
  entry.lastIndex = 0
  for (let at = 0; at < text.length; at = entry.lastIndex) {
    if (!entry.test(text)) return
    yield text.slice(at, entry.lastIndex)
  }
}
