import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** For root, which makes files that the service cannot open if it runs as the user that the folder belongs to. */
export function ownerNote(dataDir: string, owner: number, self = process.getuid?.()): string | null {
  if (self !== 0 || owner === 0) return null
  return `What was made belongs to root. If the service runs as another user, run chown -R ${owner} '${dataDir}'`
}

/** Of the folder, or of the nearest one above it that there is. */
export function ownerOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.uid ?? ownerOf(dirname(path))
}
