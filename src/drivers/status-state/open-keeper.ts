import type { Logger } from '../../lib/logger.ts'
import type { StateKeeper } from '../../status/state-store.ts'

interface KeeperPlace {
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly log: Pick<Logger, 'error' | 'info' | 'warn'>
}

/** Each driver is loaded only where it is used. */
export async function openStateKeeper({ dataDir, databaseUrl, log }: KeeperPlace): Promise<StateKeeper> {
  if (databaseUrl === null) return (await import('./sqlite.ts')).sqliteKeeper({ dataDir, log })
  return (await import('./postgres.ts')).postgresKeeper({ url: databaseUrl, log })
}
