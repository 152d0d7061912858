import type { Logger } from '../../process/logger.ts'
import { lostFile } from '../sqlite/file-id.ts'

export type FileLog = Pick<Logger, 'error' | 'info'>

/**
 * Whether the open files still have their names: anything written to a removed file is lost. Ignores files that do not
 * exist at first. Logs once what happened and what to do. Checks once per event loop turn: each costs a quarter of a
 * heartbeat.
 */
export function watchReplacedFiles(paths: readonly string[], log: FileLog): () => boolean {
  const find = lostFile(paths)
  let said: Finding | null = null
  const check = () => {
    const lost = find()
    const found: Finding | null = lost && { path: lost.path, what: lost.id === null ? 'missing' : 'replaced' }
    if (found && (found.path !== said?.path || found.what !== said.what)) says[found.what](found.path, log)
    if (!found && said) log.info(`${said.path} is back: heartbeats are accepted again`)
    said = found
    return found === null
  }
  let known: boolean | null = null
  return () => {
    if (known === null) setImmediate(() => (known = null))
    known ??= check()
    return known
  }
}

interface Finding {
  readonly path: string
  readonly what: keyof typeof says
}

const says = {
  missing: (path: string, log: FileLog) =>
    log.error(
      `${path} was removed or moved away: heartbeats get a 503 until it is back. ` +
        'To continue without it, restart the status worker; to restore a backup, stop it first',
    ),
  replaced: (path: string, log: FileLog) =>
    log.error(
      `${path} was replaced by another file: heartbeats get a 503. ` +
        `Stop the status worker, remove ${path}-wal and ${path}-shm if they exist, and start it again`,
    ),
}
