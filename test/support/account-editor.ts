import { type Action, cliOrigin } from '../../src/accounts/audit.ts'
import type { Directory, UserFilter } from '../../src/accounts/directory.ts'
import type { Role } from '../../src/accounts/roles.ts'
import { type Account, type Change, newAccount, type Users } from '../../src/accounts/users.ts'
import type { Database } from '../../src/drivers/accounts/database.ts'
import { createDirectory } from '../../src/drivers/accounts/directory.ts'
import { createUserStore } from '../../src/drivers/accounts/user-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { atEnd } from './at-end.ts'
import { testHasher } from './hasher.ts'

const newId = createIds(systemClock)
const clock = systemClock

/** The store alone, for its suites. */
export const userStoreOf = (database: Database): Users => createUserStore(database, { clock, newId })
export const created = { action: 'create', by: cliOrigin } as const

/** Stands for another process: reads and changes accounts on its own connection, like the tool. */
export class UserStoreForTests {
  readonly users: Users
  readonly directory: Directory
  readonly #database: Database

  static async open(place: { open(): Promise<Database> }): Promise<UserStoreForTests> {
    return new UserStoreForTests(await place.open())
  }

  constructor(database: Database) {
    this.#database = database
    this.users = userStoreOf(database)
    this.directory = createDirectory(database, { clock })
  }

  async find(id: string): Promise<Account> {
    const account = await this.users.find({ id })
    if (!account) throw new Error(`no account ${id}`)
    return account
  }

  async countOf(filter: UserFilter): Promise<number> {
    const order = { by: 'createdAt', descending: false } as const
    return (await this.directory.page({ filter, order, after: null, limit: 100 })).length
  }

  ban = (id: string, until: number | null = null) =>
    this.change(id, 'ban', { ban: { reason: null, since: clock.now(), until, by: 'cli' } })
  unban = (id: string) => this.change(id, 'unban', { ban: null })
  setRole = (id: string, role: Role) => this.change(id, 'role', { role })
  rename = (id: string, username: string) => this.change(id, 'rename', { username })
  revokeToken = (id: string) => this.change(id, 'revoke-token', { tokenHash: null })
  setPassword = (id: string, passwordHash: string) => this.change(id, 'password', { passwordHash, tokenHash: null })

  change = (id: string, action: Action, values: Change['values']) =>
    this.users.change({ action, by: cliOrigin, target: { id } }, ({ target }) => target && { values })

  /** As if an operator deleted the row by hand. */
  remove = (id: string) => this.#database.kysely.deleteFrom('users').where('id', '=', id).execute()

  async insert(username: string, password: string, hasher = testHasher): Promise<Account> {
    const passwordHash = await hasher.hash(password)
    const account = newAccount({ id: newId(), username, role: 'user', passwordHash, tokenHash: null, now: clock.now() })
    if (!(await this.users.insert(account, created))) throw new Error(`the name ${username} is taken`)
    return account
  }

  close = atEnd(() => this.#database.close())
}
