import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../sqlite/errors.ts'

export interface FileLock {
  release(): void
}

/**
 * Takes an exclusive lock on a file that stays empty; null while another process has it. Node has no flock, so this is
 * SQLite's lock, which the kernel releases however the process ends. Only SQLite may open the file in this process:
 * closing any other descriptor of it would release the lock.
 */
export function takeFileLock(path: string): FileLock | null {
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isBusy(error)) return null
    throw error
  }
  return {
    release() {
      if (db.isOpen) db.close()
    },
  }
}
