import type { Role } from '../accounts/roles.ts'
import type { Account } from '../accounts/users.ts'
import type { Accounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'

/** One change of an account as a value: what is said about it, and how it is written. */
export interface AccountChange {
  /** What will happen, for the question; null: not destructive, so not asked. */
  readonly consequence: ((account: Account) => string) | null
  /** Takes a right that the last owner should not lose unnoticed. */
  readonly unseats: boolean
  /** Why there is nothing to do; null if there is. */
  held(account: Account): string | null
  /** Reads what is needed besides, and writes; false if it was so already. */
  write(accounts: Accounts, account: Account): Promise<boolean>
  done(before: Account): string
}

const named = ({ username, role, banned }: Account) => `${username} (${role}${banned ? ', banned' : ''})`

export const setPassword = (cli: Cli, now: () => number): AccountChange => ({
  consequence: (account) => `${named(account)} will get a new password and be signed out everywhere.`,
  unseats: false,
  held: () => null,
  async write({ users, passwords, checkPassword }, { id, username }) {
    const hash = await passwords.hash(await cli.ask.newPassword(username, checkPassword))
    return users.setPassword(id, hash, now())
  },
  done: ({ username }) => `${username} has a new password and is signed out everywhere.`,
})

export const setRole = (role: Role, now: () => number): AccountChange => ({
  consequence: (account) => `${named(account)} will be ${role}, from its next request on.`,
  unseats: role !== 'owner',
  held: (account) => (account.role === role ? `${account.username} is ${role} already` : null),
  write: ({ users }, { id }) => users.setRole(id, role, now()),
  done: (before) => `${before.username} is ${role} now; it was ${before.role}.`,
})

export const ban = (now: () => number): AccountChange => ({
  consequence: (account) => `${named(account)} will be banned: its next request is refused, and so is every login.`,
  unseats: true,
  held: (account) => (account.banned ? `${account.username} is banned already` : null),
  write: ({ users }, { id }) => users.setBanned(id, true, now()),
  done: ({ username }) => `${username} is banned.`,
})

export const unban = (now: () => number): AccountChange => ({
  consequence: null,
  unseats: false,
  held: (account) => (account.banned ? null : `${account.username} is not banned`),
  write: ({ users }, { id }) => users.setBanned(id, false, now()),
  done: ({ username }) => `${username} is not banned any more.`,
})

export const revoke: AccountChange = {
  consequence: (account) => `${named(account)} will be signed out everywhere; it may sign in again.`,
  unseats: false,
  held: (account) => (account.tokenHash === null ? `${account.username} is signed in nowhere` : null),
  write: ({ users }, { id }) => users.revokeToken(id),
  done: ({ username }) => `${username} is signed out everywhere.`,
}
