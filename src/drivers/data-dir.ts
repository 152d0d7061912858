import { accessSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BadSetting } from '../config/parser.ts'
import type { Logger } from '../process/logger.ts'

/** Creates DATA_DIR with mode 0700, or throws BadSetting. */
export function prepareDataDir(path: string): void {
  try {
    makeFolder(path)
    mustBeWritable(path)
  } catch (error) {
    throw badDataDir(path, error)
  }
}

/** What another user, or another unit of a service manager, may not get. */
const ofThisUser = new Set(['EACCES', 'EPERM', 'EROFS'])

/**
 * Why it could not be prepared, as far as one sees without changing anything: throws what stops every user, and returns
 * what stops this one.
 */
export function checkDataDir(path: string): BadSetting | null {
  const [missing] = missingFolders(path)
  try {
    if (missing === undefined) mustBeWritable(path)
    else {
      // A symbolic link that leads nowhere.
      if (lstatSync(missing, { throwIfNoEntry: false })) statSync(missing)
      accessSync(`${dirname(missing)}/`, constants.W_OK | constants.X_OK)
    }
    return null
  } catch (error) {
    const problem = badDataDir(path, error)
    if (ofThisUser.has((error as NodeJS.ErrnoException).code ?? '')) return problem
    throw problem
  }
}

/** With a slash at the end, a file is ENOTDIR. */
const mustBeWritable = (folder: string) => accessSync(`${folder}/`, constants.R_OK | constants.W_OK | constants.X_OK)

const badDataDir = (path: string, error: unknown) =>
  new BadSetting(
    `DATA_DIR: expected a writable folder, got ${JSON.stringify(path)} (${(error as NodeJS.ErrnoException).code})`,
  )

/** An existing directory keeps its mode. */
export function warnOfOpenDataDir(path: string, log: Pick<Logger, 'warn'>): void {
  const mode = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  const shown = mode.toString(8).padStart(4, '0')
  log.warn({ path, mode: shown }, 'DATA_DIR is open to other users of this machine; run chmod 700 on it')
}

/** The highest first. */
function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let folder = resolve(path); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder))
    missing.unshift(folder)
  return missing
}

/**
 * Creates a folder and its missing parents with mode 0700. Node's `recursive` never returns if a folder cannot be
 * created although its parent exists: in /proc, or below a dangling symbolic link.
 */
export function makeFolder(path: string): void {
  for (const folder of missingFolders(path)) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another process created it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
}
