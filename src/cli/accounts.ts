import { resolve } from 'node:path'
import { toBan } from '../accounts/admin/schemas.ts'
import { newEvent, type Origin } from '../accounts/audit.ts'
import type { Order } from '../accounts/directory.ts'
import { errors } from '../accounts/errors.ts'
import type { AuditedAct } from '../accounts/journal.ts'
import { createPasswords, isAllowedPassword } from '../accounts/passwords.ts'
import { isUsername } from '../accounts/username.ts'
import type { Account, Users } from '../accounts/users.ts'
import { readConfig } from '../config/config.ts'
import { username } from '../config/formats.ts'
import { argon2Hasher } from '../drivers/accounts/argon2.ts'
import type { Database } from '../drivers/accounts/database.ts'
import type { DatabaseState, DatabaseStatus } from '../drivers/accounts/database-status.ts'
import { createDetailsStore } from '../drivers/accounts/details-store.ts'
import { createDirectory } from '../drivers/accounts/directory.ts'
import { createHiddenImages } from '../drivers/accounts/hidden-images.ts'
import { createJournalStore } from '../drivers/accounts/journal-store.ts'
import { openDatabase, readDatabaseStatus } from '../drivers/accounts/open-database.ts'
import { createUserStore } from '../drivers/accounts/user-store.ts'
import { prepareDataDir } from '../drivers/data-dir.ts'
import { fillIn } from '../http/envelopes.ts'
import { closing } from '../lib/closing.ts'
import { createIds, isId } from '../lib/ids.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Cli } from './cli-context.ts'
import { Failed } from './failure.ts'
import { quoted } from './output.ts'
import { ownerNote, ownerOf } from './owner-note.ts'

/** Runs `act` with the service's accounts. `mayMake` creates a missing database, for commands that add accounts. */
export async function withAccounts<T>(
  cli: Cli,
  { mayMake }: { readonly mayMake: boolean },
  act: (accounts: Accounts) => Promise<T>,
) {
  const config = readConfig(cli.env)
  const status = await readDatabaseStatus(config, { deep: false, now: cli.clock.now() })
  const { state, where } = status
  // Only `db migrate` and a start migrate: an older version of the service may be running on it.
  if (!isUsable(status) || state === 'older') throw new Failed(`${where} is ${describeState(status)}.`)
  if (!mayMake && state !== 'ready')
    throw new Failed(
      `${where}: no database yet, so there are no accounts and no audit. Check DATA_DIR and DATABASE_URL.`,
    )
  const dataDir = resolve(config.DATA_DIR)
  const owner = state === 'missing' && config.DATABASE_URL === null ? ownerOf(dataDir) : null
  if (state === 'missing') prepareDataDir(config.DATA_DIR)
  const database = await openDatabase(config)
  await using _ = closing(database)
  const note = owner === null ? null : ownerNote(dataDir, owner)
  if (note !== null) cli.out.note(note)
  if (state !== 'ready')
    cli.out.note(`Made ${where}. If a service has accounts elsewhere, check DATA_DIR and DATABASE_URL.`)
  return await act(accountsOf(database, cli, config.PASSWORD_MIN_LENGTH))
}

export type Accounts = ReturnType<typeof accountsOf>

function accountsOf(database: Database, { clock, hasher = argon2Hasher }: Cli, minLength: number) {
  const deps = { clock, newId: createIds(clock) }
  const journal = createJournalStore(database, deps)
  return {
    ...deps,
    users: createUserStore(database, deps),
    passwords: createPasswords({ hasher, minLength, slots: 1, queue: 0 }),
    /** Throws Failed with the service's message. */
    checkPassword(password: string): void {
      if (isAllowedPassword(password, minLength)) return
      throw new Failed(fillIn(errors.badPassword.message, { PASSWORD_MIN_LENGTH: String(minLength) }))
    },
    directory: createDirectory(database, deps),
    // The service has its own journal, and writes it once a second.
    journal: { flush: async () => {} },
    imageDetails: createDetailsStore(database, deps),
    hiddenImages: createHiddenImages(database, deps),
    /** Audits acts outside of the database. */
    records: {
      ready: database.ping,
      done(by: Origin, { action, target, before, after, workersId = null }: AuditedAct): Promise<void> {
        const own = { ...newEvent(deps, by), action, target, before: before ?? null, after }
        const event = workersId === null ? own : { ...own, id: workersId, isWorkers: true }
        return journal.write({ id: deps.newId(), counts: [], events: [event] })
      },
    },
  }
}

/** An id is longer than any username, so it is unambiguous. */
export async function findAccount(users: Users, who: string): Promise<Account> {
  const account = await users.find(isId(who.toLowerCase()) ? { id: who.toLowerCase() } : { username: who })
  if (!account) throw new Failed(`No user ${quoted(who)}; run user list to see all users.`)
  return account
}

/** Throws Failed for a name that could not be registered. */
export function checkUsername(name: string): void {
  if (isUsername(name)) return
  throw new Failed(`Username ${quoted(name)}: expected ${username.expected}.`)
}

export const nameTaken = ({ username, role }: Pick<Account, 'username' | 'role'>) =>
  new Failed(`${errors.usernameTaken.message}: ${username} (${role}); choose another.`)

export const oldestFirst: Order = { by: 'createdAt', descending: false }

/** True if no other owner is left who is not banned. */
export async function isLastOwner({ directory }: Accounts, account: Account): Promise<boolean> {
  if (account.role !== 'owner') return false
  const filter = { role: 'owner', banned: false } as const
  const owners = await directory.page({ filter, order: oldestFirst, after: null, limit: 2 })
  return owners.every(({ id }) => id === account.id)
}

type Shown = Omit<Account, 'passwordHash'>

export const shown = ({ id, username, role, banned, ban, tokenHash, createdAt, updatedAt }: Shown) => ({
  id,
  username,
  role,
  banned,
  ban: toBan(ban),
  hasToken: tokenHash !== null,
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
})

const descriptions: Record<DatabaseState, string> = {
  ready: 'ready',
  missing: 'missing; db migrate or the next start of the service creates it',
  empty: 'empty; db migrate or the next start of the service creates the tables',
  older: 'older than this program; db migrate or the next start of the service migrates it',
  newer: 'newer than this program; run the newer version',
  foreign: 'not a Menagerie database; check DATA_DIR',
  damaged: 'damaged; restore it from a backup',
  unfinished: 'the target of an unfinished move; run the same cli move again to finish it, or empty it',
}

export const describeState = ({ name, state }: DatabaseStatus) =>
  name === 'PostgreSQL' && state === 'missing'
    ? 'missing; create it on that server, or check DATABASE_URL'
    : descriptions[state]

/** Whether the service can start with this database. */
export const isUsable = ({ name, state }: DatabaseStatus) =>
  state === 'missing' ? name === 'SQLite' : ['ready', 'empty', 'older'].includes(state)
