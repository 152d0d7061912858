import { statSync } from 'node:fs'
import type { Logger } from '../../process/logger.ts'

export type FileLog = Pick<Logger, 'error' | 'info'>

/**
 * Whether the files that are open here still have their names: what is written to one that was removed is lost.
 * Says once what happened to one, and what to do.
 */
export function watchOpenFiles(paths: readonly string[], log: FileLog): () => boolean {
  const files = paths.map((path) => ({ path, opened: idOf(path), found: 'there' }))
  return () => {
    for (const file of files) {
      const id = idOf(file.path)
      const found = id === null ? 'missing' : id === file.opened ? 'there' : 'replaced'
      if (found !== file.found) says[found](file.path, log)
      file.found = found
    }
    return files.every(({ found }) => found === 'there')
  }
}

const says = {
  there: (path: string, log: FileLog) => log.info(`${path} is back: heartbeats are taken again`),
  missing: (path: string, log: FileLog) =>
    log.error(
      `${path} was removed or moved away: heartbeats are answered 503 until it is back. ` +
        'To begin without it, or to restore a backup, stop the status worker first',
    ),
  replaced: (path: string, log: FileLog) =>
    log.error(
      `${path} was replaced by another file: heartbeats are answered 503. ` +
        `Stop the status worker, remove ${path}-wal and ${path}-shm if they exist, and start it again`,
    ),
}

/** Null where it is not there, or nobody may look. */
function idOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
