import { accessSync, constants, mkdirSync } from 'node:fs'
import { BadSetting } from '../lib/settings.ts'

/** Makes the folder of everything embedded, for its owner alone, or says why it cannot be used. */
export function prepareDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadSetting(`DATA_DIR: expected a folder that can be written to, got ${JSON.stringify(path)} (${code})`)
  }
}
