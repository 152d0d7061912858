import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BadSetting } from '../config/parser.ts'
import type { Logger } from '../process/logger.ts'

/** Makes the folder of everything embedded, for its owner alone, or says why it cannot be used. */
export function prepareDataDir(path: string): void {
  try {
    makeFolder(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadSetting(`DATA_DIR: expected a folder that can be written to, got ${JSON.stringify(path)} (${code})`)
  }
}

/** One that existed keeps its mode, and what others put into it is not its owner's alone. */
export function warnOfOpenDataDir(path: string, log: Pick<Logger, 'warn'>): void {
  const mode = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  const shown = mode.toString(8).padStart(4, '0')
  log.warn({ path, mode: shown }, 'DATA_DIR is open to other users of this machine; run chmod 700 on it')
}

/**
 * Makes a folder and those above it that are missing, for their owner alone. `recursive` of Node tries for ever where
 * a folder cannot be made although the one above it is there: in /proc, or below a symbolic link to nothing.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let folder = resolve(path); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder))
    missing.unshift(folder)
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      // Another start made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' })
}
