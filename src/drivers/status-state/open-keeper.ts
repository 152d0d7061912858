import type { Logger } from '../../process/logger.ts'
import type { StateKeeper } from '../../status/state-store.ts'

interface KeeperPlace {
  readonly DATA_DIR: string
  readonly DATABASE_URL: string | null
  readonly STATUS_DATABASE_URL: string | null
}

/** Each driver is loaded only where it is used. */
export async function openStateKeeper(
  place: KeeperPlace,
  log: Pick<Logger, 'error' | 'info' | 'warn'>,
): Promise<StateKeeper> {
  const setting = place.STATUS_DATABASE_URL === null ? 'DATABASE_URL' : 'STATUS_DATABASE_URL'
  const url = place[setting]
  if (url === null) return (await import('./sqlite.ts')).sqliteKeeper({ dataDir: place.DATA_DIR, log })
  return (await import('./postgres.ts')).postgresKeeper({ url, setting, log })
}
