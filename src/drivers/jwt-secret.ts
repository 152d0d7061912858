import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadSetting } from '../lib/settings.ts'

const leastBytes = 32

export interface JwtSecret {
  readonly secret: string
  readonly isNew: boolean
}

/** The secret that signs tokens, made on the first start. One that others may read, or a short one, is refused. */
export function readOrMakeSecret(dataDir: string): JwtSecret {
  const path = join(dataDir, 'jwt-secret')
  const isNew = makeIfMissing(path)
  const secret = readFileSync(path, 'utf8').trim()
  if (Buffer.byteLength(secret) < leastBytes) {
    throw new BadSetting(
      `${path}: expected at least ${leastBytes} bytes; delete it for a new one, which signs everybody out`,
    )
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new BadSetting(`${path}: expected mode 0600, but others than its owner may read it; run chmod 600 on it`)
  }
  return { secret, isNew }
}

/** Written whole before it has its name, so that two first starts at once end with one secret. */
function makeIfMissing(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })) return false
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
