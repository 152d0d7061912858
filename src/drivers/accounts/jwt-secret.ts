import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadSetting } from '../../config/parser.ts'

const leastBytes = 32
const fileName = 'jwt-secret'
/** Of a start that was killed. The ending keeps a backup that somebody numbered from being taken for one. */
const draftPattern = /^jwt-secret\.\d+\.draft$/

export interface JwtSecret {
  readonly secret: string
  readonly isNew: boolean
}

/** The secret that signs tokens, made on the first start. One that others may read, or a short one, is refused. */
export function readOrMakeSecret(dataDir: string): JwtSecret {
  const path = join(dataDir, fileName)
  try {
    const isNew = makeIfMissing(path)
    const secret = read(path)
    sweepDrafts(dataDir)
    return { secret, isNew }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new BadSetting(`${path}: expected a file that can be made and read (${code}); check whose it is`)
  }
}

function read(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new BadSetting(`${path}: expected a file, but it is a link to nothing; remove it or mend it`)
  // Before it is opened: opening a pipe would wait for ever.
  if (!found.isFile())
    throw new BadSetting(`${path}: expected a regular file; move it away for a new one, which signs everybody out`)
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new BadSetting(`${path}: expected mode 0600, but others than its owner may read it; run chmod 600 on it`)
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (Buffer.byteLength(secret) >= leastBytes) return secret
  throw new BadSetting(
    `${path}: expected at least ${leastBytes} bytes; delete it for a new one, which signs everybody out`,
  )
}

/** Written whole before it has its name, so that two first starts at once end with one secret. */
function makeIfMissing(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })) return false
  const draft = `${path}.${process.pid}.draft`
  rmSync(draft, { force: true })
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    // ENOENT: another start has made the secret, and swept this draft away.
    if (['EEXIST', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Once there is a secret, no draft is needed any more, whosever it is. */
function sweepDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) if (draftPattern.test(name)) rmSync(join(dataDir, name), { force: true })
}
