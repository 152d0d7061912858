import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadSetting } from '../../config/parser.ts'

const minBytes = 32
export const secretName = 'jwt-secret'
/** Left by a start that was killed. The suffix keeps the operator's numbered backups from matching. */
const draftPattern = /^jwt-secret\.\d+\.draft$/

/**
 * The secret that signs tokens: the one in the file, or else `made`, which is then saved. Throws BadSetting if others
 * may read the file or the secret is too short.
 */
export function readOrMakeSecret(dataDir: string, made = randomBytes(32).toString('base64url')) {
  const path = join(dataDir, secretName)
  try {
    const isNew = makeIfMissing(path, made)
    const secret = read(path)
    sweepDrafts(dataDir)
    return { secret, isNew }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new BadSetting(`${path}: expected a file that can be created and read (${code}); check its owner`)
  }
}

function read(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new BadSetting(`${path}: expected a file, got a dangling symbolic link; remove or repair it`)
  // Checked before opening: opening a FIFO would block forever.
  if (!found.isFile())
    throw new BadSetting(
      `${path}: expected a regular file; move it away to generate a new secret, which signs everybody out`,
    )
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new BadSetting(`${path}: expected mode 0600, but other users may read it; run chmod 600 on it`)
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (Buffer.byteLength(secret) >= minBytes) return secret
  throw new BadSetting(
    `${path}: expected at least ${minBytes} bytes; delete it to generate a new secret, which signs everybody out`,
  )
}

/** Written to a draft and then linked, so that two concurrent first starts end up with one secret. */
function makeIfMissing(path: string, secret: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })) return false
  const draft = `${path}.${process.pid}.draft`
  rmSync(draft, { force: true })
  writeFileSync(draft, secret, { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    // ENOENT: another start has created the secret, and removed this draft.
    if (['EEXIST', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function sweepDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) if (draftPattern.test(name)) rmSync(join(dataDir, name), { force: true })
}
