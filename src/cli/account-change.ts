import type { Acted } from '../accounts/admin/act-on-user.ts'
import { type BanTerms, ban as banUser, unban as unbanUser } from '../accounts/admin/ban.ts'
import { changeRole } from '../accounts/admin/change-role.ts'
import { revokeToken } from '../accounts/admin/revoke-token.ts'
import { cliOrigin } from '../accounts/audit.ts'
import type { Role } from '../accounts/roles.ts'
import { setPassword as savePassword } from '../accounts/set-password.ts'
import type { Account } from '../accounts/users.ts'
import { isoTime } from '../lib/timestamps.ts'
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
  /** Asks for what is needed besides, and writes it; unchanged if it is so already by then. */
  apply(accounts: Accounts, account: Account): Promise<Pick<Acted, 'changed'>>
  done(before: Account): string
}

const named = ({ username, role, banned }: Account) => `${username} (${role}${banned ? ', banned' : ''})`

export const setPassword = (cli: Cli): AccountChange => ({
  consequence: (account) => `${named(account)} will get a new password and be signed out everywhere.`,
  unseats: false,
  held: () => null,
  apply: async (accounts, { id, username }) =>
    savePassword(accounts, cliOrigin, { id }, await cli.ask.newPassword(username, accounts.checkPassword)),
  done: ({ username }) => `${username} has a new password and is signed out everywhere.`,
})

export const setRole = (role: Role): AccountChange => ({
  consequence: (account) => `${named(account)} will be ${role}, from its next request on.`,
  unseats: role !== 'owner',
  held: (account) => (account.role === role ? `${account.username} is ${role} already` : null),
  apply: (accounts, { id }) => changeRole(accounts, cliOrigin, { id }, role),
  done: (before) => `${before.username} is ${role} now; it was ${before.role}.`,
})

export const ban = ({ reason, until = null }: BanTerms): AccountChange => ({
  consequence: (account) =>
    `${named(account)} will be banned${until === null ? '' : ` until ${isoTime(until)}`}: its next request is refused, and so is every login.`,
  unseats: true,
  held: (account) => (account.banned ? `${account.username} is banned already` : null),
  apply: (accounts, { id }) => banUser(accounts, cliOrigin, { id }, { reason, until }),
  done: ({ username }) => `${username} is banned.`,
})

export const unban: AccountChange = {
  consequence: null,
  unseats: false,
  held: (account) => (account.banned ? null : `${account.username} is not banned`),
  apply: (accounts, { id }) => unbanUser(accounts, cliOrigin, { id }),
  done: ({ username }) => `${username} is not banned any more.`,
}

export const revoke: AccountChange = {
  consequence: (account) => `${named(account)} will be signed out everywhere; it may sign in again.`,
  unseats: false,
  held: (account) => (account.tokenHash === null ? `${account.username} is signed in nowhere` : null),
  apply: (accounts, { id }) => revokeToken(accounts, cliOrigin, { id }),
  done: ({ username }) => `${username} is signed out everywhere.`,
}
