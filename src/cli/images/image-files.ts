import { readdir } from 'node:fs/promises'
import { sep } from 'node:path'
import { isFilename } from '../../images/names.ts'
import { Failed } from '../failure.ts'
import { onOneLine, quoted } from '../output.ts'

export interface FoundFile {
  /** Bytes, since a name need not be valid UTF-8. */
  readonly path: Buffer
  /** Relative to the folder, printable. */
  readonly file: string
  readonly base: string
  /** Why it cannot be imported; null for a regular file. */
  readonly trouble: { readonly isFailure: boolean; readonly reason: string } | null
}

const separator = Buffer.from(sep)

/** Every file below a folder, sorted by bytes, so that runs are repeatable. Links are not followed. */
export async function* filesIn(folder: Buffer, below = ''): AsyncGenerator<FoundFile> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(
    ({ code }: NodeJS.ErrnoException) => `the folder cannot be read (${code})`,
  )
  if (typeof entries === 'string') {
    if (below === '') throw new Failed(`${quoted(folder.toString())}: ${entries}; check its owner and mode.`)
    yield { path: folder, file: below, base: '', trouble: { isFailure: true, reason: entries } }
    return
  }
  entries.sort((one, other) => Buffer.compare(one.name, other.name))
  for (const entry of entries) {
    const path = Buffer.concat([folder, separator, entry.name])
    const base = entry.name.toString()
    const file = onOneLine(below === '' ? base : `${below}/${base}`)
    if (entry.isDirectory()) yield* filesIn(path, file)
    else {
      const reason = entry.isSymbolicLink() ? 'symbolic link' : entry.isFile() ? null : 'not a regular file'
      yield { path, file, base, trouble: reason === null ? null : { isFailure: false, reason } }
    }
  }
}

/** Leaves room within 255 bytes for the hash and the folder store's suffixes. */
const maxStemLength = 150
const maxExtensionLength = 10

/**
 * A file name that the proxy accepts: accents are stripped, each run of other characters becomes a hyphen, dots and
 * hyphens are trimmed from the stem, and an empty stem becomes `image`.
 */
export function nameFor(base: string, hash: string | null = null): string {
  const [, front = '', ending = ''] = /^(.+?)(\.[a-zA-Z0-9]+)?$/s.exec(base) ?? []
  const hasEnding = ending.length <= maxExtensionLength
  const text = hasEnding ? front : front + ending
  const stem = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, maxStemLength)
    .replace(/^[.-]+|[.-]+$/g, '')
  const name = `${stem || 'image'}${hash === null ? '' : `-${hash}`}${hasEnding ? ending : ''}`
  if (!isFilename(name)) throw new Error(`${JSON.stringify(name)} is not a valid name`)
  return name
}
