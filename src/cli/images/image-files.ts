import { readdir } from 'node:fs/promises'
import { sep } from 'node:path'
import { isFilename } from '../../images/names.ts'
import { Failed } from '../failure.ts'
import { onOneLine, quoted } from '../output.ts'

export interface FoundFile {
  /** As bytes: a name need not be text. */
  readonly path: Buffer
  /** Below the folder, for people. */
  readonly file: string
  readonly base: string
  /** Why it is not to be opened; null for a regular file. */
  readonly trouble: { readonly isFailure: boolean; readonly reason: string } | null
}

const separator = Buffer.from(sep)

/** Every file below a folder, in the order of their names' bytes: two runs see the same. No link is followed. */
export async function* filesIn(folder: Buffer, below = ''): AsyncGenerator<FoundFile> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(
    ({ code }: NodeJS.ErrnoException) => `the folder cannot be read (${code})`,
  )
  if (typeof entries === 'string') {
    if (below === '') throw new Failed(`${quoted(folder.toString())}: ${entries}; check whose it is.`)
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
      const reason = entry.isSymbolicLink() ? 'it is a symbolic link' : entry.isFile() ? null : 'it is no regular file'
      yield { path, file, base, trouble: reason === null ? null : { isFailure: false, reason } }
    }
  }
}

/** Longer names are cut, so that the hash and the folder's own parts have room in what a file system takes. */
const mostStem = 150
const mostEnding = 10

/**
 * A file's base name as the proxy takes it: accents go, every run of other characters is a hyphen, points and hyphens
 * at either end of the part before the last point go, and a name of which nothing is left is `image`.
 */
export function nameFor(base: string, hash: string | null = null): string {
  const [, front = '', ending = ''] = /^(.+?)(\.[a-zA-Z0-9]+)?$/s.exec(base) ?? []
  const hasEnding = ending.length <= mostEnding
  const text = hasEnding ? front : front + ending
  const stem = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, mostStem)
    .replace(/^[.-]+|[.-]+$/g, '')
  const name = `${stem || 'image'}${hash === null ? '' : `-${hash}`}${hasEnding ? ending : ''}`
  if (!isFilename(name)) throw new Error(`${JSON.stringify(name)} does not fit`)
  return name
}
