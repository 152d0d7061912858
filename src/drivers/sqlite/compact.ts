import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export interface Compacted {
  readonly database: string
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** No other program may have the file open. */
export function compactFile(path: string): Compacted {
  const bytesBefore = statSync(path).size
  const db = new DatabaseSync(path, { timeout: 5_000 })
  try {
    // Through the log, so that an interruption leaves the file as it was; it needs as much free space as the file.
    db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  return { database: path, bytesBefore, bytesAfter: statSync(path).size }
}
