import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The embedded object store: a folder for each bucket under DATA_DIR. Images are served from here later on. */
export async function openFolder(dataDir: string, bucket: string): Promise<{ check(): Promise<void> }> {
  const path = join(dataDir, 'objects', bucket)
  await mkdir(path, { recursive: true, mode: 0o700 })
  return { check: () => access(path, constants.R_OK | constants.W_OK | constants.X_OK) }
}
