import type { Config } from '../../config/config.ts'
import { fileName as accountsFile } from '../../drivers/accounts/sqlite.ts'
import { fileName as statusFile } from '../../drivers/status-state/sqlite.ts'

type Where = Pick<Config, 'DATABASE_URL' | 'STATUS_DATABASE_URL'>

const statusUrl = ({ DATABASE_URL, STATUS_DATABASE_URL }: Where) => STATUS_DATABASE_URL ?? DATABASE_URL

/** The databases that are files in DATA_DIR. */
export const embeddedIn = (config: Where): string[] => [
  ...(config.DATABASE_URL === null ? [accountsFile] : []),
  ...(statusUrl(config) === null ? [statusFile] : []),
]

/** Data outside of DATA_DIR, and how to back it up. */
export function notCoveredOf(config: Config): string[] {
  const { DATABASE_URL, S3_ENDPOINT, JWT_SECRET } = config
  return [
    ...(DATABASE_URL === null ? [] : ['the accounts, which are in DATABASE_URL: use pg_dump']),
    ...(statusUrl(config) === null ? [] : ["the status worker's state, which is in PostgreSQL: use pg_dump"]),
    ...(S3_ENDPOINT === null ? [] : ["the images, which are in S3_ENDPOINT: use the store's own tools"]),
    ...(JWT_SECRET === null ? [] : ['JWT_SECRET, which is a setting']),
  ]
}
