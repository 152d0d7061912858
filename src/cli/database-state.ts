import type { DatabaseState, DatabaseStatus } from '../drivers/accounts/database-status.ts'

const words: Record<DatabaseState, string> = {
  ready: 'ready',
  missing: 'not there; the next start of the service, or db migrate, makes it',
  empty: 'there, and empty; the next start of the service, or db migrate, makes its tables',
  older: 'older than this program; the next start of the service, or db migrate, brings it up to date',
  newer: 'newer than this program; start the newer program',
  foreign: 'not a database of Menagerie; check DATA_DIR',
  damaged: 'damaged; restore it from a backup',
}

export const stateInWords = ({ name, state }: DatabaseStatus) =>
  name === 'PostgreSQL' && state === 'missing'
    ? 'not there; create it on that server, or check DATABASE_URL'
    : words[state]

/** Whether the service can start with it. */
export const isUsable = ({ name, state }: DatabaseStatus) =>
  state === 'missing' ? name === 'SQLite' : ['ready', 'empty', 'older'].includes(state)
