import type { Logger } from '../../process/logger.ts'
import type { StateLease } from '../../status/state-store.ts'

interface LeaseSettings {
  readonly DATA_DIR: string
  readonly DATABASE_URL: string | null
  readonly STATUS_DATABASE_URL: string | null
}

/** Each driver is loaded only if used. */
export async function openStateLease(
  settings: LeaseSettings,
  log: Pick<Logger, 'error' | 'info' | 'warn'>,
): Promise<StateLease> {
  const setting = settings.STATUS_DATABASE_URL === null ? 'DATABASE_URL' : 'STATUS_DATABASE_URL'
  const url = settings[setting]
  if (url === null) return (await import('./sqlite.ts')).sqliteLease({ dataDir: settings.DATA_DIR, log })
  return (await import('./postgres.ts')).postgresLease({ url, setting, log })
}
