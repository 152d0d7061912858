import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../sqlite/errors.ts'

export type FileLock = NonNullable<ReturnType<typeof takeFileLock>>

/**
 * Locks an empty file; null while another process has it locked. Node has no flock, so this uses SQLite's lock, which
 * the kernel releases however the process ends. Closing any other descriptor of the file would release it.
 */
export function takeFileLock(path: string) {
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isBusy(error)) return null
    throw error
  }
  return {
    release(): void {
      if (db.isOpen) db.close()
    },
  }
}
