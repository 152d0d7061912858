import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { BadSetting } from '../../lib/settings.ts'
import { makeFolder } from '../data-dir.ts'

/** The embedded object store: a folder for each bucket under DATA_DIR. Images are served from here later on. */
export async function openFolder(dataDir: string, bucket: string): Promise<{ check(): Promise<void> }> {
  const path = join(dataDir, 'objects', bucket)
  try {
    makeFolder(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadSetting(`${path}: expected a folder (${code}); look what stands there in DATA_DIR, and whose it is`)
  }
  return { check: () => access(path, constants.R_OK | constants.W_OK | constants.X_OK) }
}
