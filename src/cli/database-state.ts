import type { DatabaseState, DatabaseStatus } from '../drivers/accounts/database-status.ts'

const descriptions: Record<DatabaseState, string> = {
  ready: 'ready',
  missing: 'missing; db migrate or the next start of the service creates it',
  empty: 'empty; db migrate or the next start of the service creates the tables',
  older: 'older than this program; db migrate or the next start of the service migrates it',
  newer: 'newer than this program; run the newer version',
  foreign: 'not a Menagerie database; check DATA_DIR',
  damaged: 'damaged; restore it from a backup',
}

export const describeState = ({ name, state }: DatabaseStatus) =>
  name === 'PostgreSQL' && state === 'missing'
    ? 'missing; create it on that server, or check DATABASE_URL'
    : descriptions[state]

/** Whether the service can start with it. */
export const isUsable = ({ name, state }: DatabaseStatus) =>
  state === 'missing' ? name === 'SQLite' : ['ready', 'empty', 'older'].includes(state)
