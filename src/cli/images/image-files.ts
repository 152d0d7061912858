import { readdir } from 'node:fs/promises'
import { sep } from 'node:path'
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
