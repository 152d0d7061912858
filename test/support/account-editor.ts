import { hash } from '@node-rs/argon2'
import type { Role } from '../../src/accounts/roles.ts'
import type { Account, Users, UsersForOperator } from '../../src/accounts/users.ts'
import type { Database } from '../../src/drivers/sql/database.ts'
import { createUserStore } from '../../src/drivers/sql/user-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { atEnd } from './at-end.ts'

const newId = createIds(systemClock)

/** Another process beside the service: reads and changes accounts on a connection of its own. */
export class UserStoreForTests {
  readonly users: Users & UsersForOperator
  readonly #database: Database

  static async open(place: { open(): Promise<Database> }): Promise<UserStoreForTests> {
    return new UserStoreForTests(await place.open())
  }

  constructor(database: Database) {
    this.#database = database
    this.users = createUserStore(database)
  }

  async find(id: string): Promise<Account> {
    const account = await this.users.findById(id)
    if (!account) throw new Error(`no account ${id}`)
    return account
  }

  ban = (id: string) => this.users.setBanned(id, true, systemClock.now())
  unban = (id: string) => this.users.setBanned(id, false, systemClock.now())
  setRole = (id: string, role: Role) => this.users.setRole(id, role, systemClock.now())

  insert = (username: string, password: string) => this.#insert(username, password, 19_456)
  insertWeak = (username: string, password: string) => this.#insert(username, password, 8_192)

  async #insert(username: string, password: string, memoryCost: number): Promise<Account> {
    const now = systemClock.now()
    const account: Account = {
      id: newId(),
      username,
      role: 'user',
      banned: false,
      passwordHash: await hash(password, { memoryCost, timeCost: 2, parallelism: 1 }),
      tokenHash: null,
      createdAt: now,
      updatedAt: now,
    }
    if (!(await this.users.insert(account))) throw new Error(`the name ${username} is taken`)
    return account
  }

  close = atEnd(() => this.#database.close())
}
