import { type Action, cliOrigin } from '../accounts/audit.ts'
import { banned, roleGiven, signedOut, unbanned } from '../accounts/changes.ts'
import type { Role } from '../accounts/roles.ts'
import type { Account, Ban, Change } from '../accounts/users.ts'
import { isoTime } from '../lib/moment.ts'
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
  readonly action: Action
  /** Reads what is needed besides; answers what to write into the account as it is then. */
  prepare(accounts: Accounts, account: Account): Promise<(target: Account) => Change> | ((target: Account) => Change)
  done(before: Account): string
}

/** False if there was nothing to change any more. */
export async function apply(what: AccountChange, accounts: Accounts, account: Account): Promise<boolean> {
  const change = await what.prepare(accounts, account)
  const act = { action: what.action, by: cliOrigin, target: { id: account.id } }
  const { changed } = await accounts.users.change(act, ({ target }) =>
    target && what.held(target) === null ? change(target) : null,
  )
  return changed
}

export type BanTerms = Pick<Ban, 'reason' | 'until'>

const named = ({ username, role, banned }: Account) => `${username} (${role}${banned ? ', banned' : ''})`

export const setPassword = (cli: Cli): AccountChange => ({
  consequence: (account) => `${named(account)} will get a new password and be signed out everywhere.`,
  unseats: false,
  held: () => null,
  action: 'password',
  async prepare({ passwords, checkPassword }, { username }) {
    const passwordHash = await passwords.hash(await cli.ask.newPassword(username, checkPassword))
    return () => ({ values: { passwordHash, tokenHash: null } })
  },
  done: ({ username }) => `${username} has a new password and is signed out everywhere.`,
})

export const setRole = (role: Role): AccountChange => ({
  consequence: (account) => `${named(account)} will be ${role}, from its next request on.`,
  unseats: role !== 'owner',
  held: (account) => (account.role === role ? `${account.username} is ${role} already` : null),
  action: 'role',
  prepare: () => (target) => roleGiven(target.role, role),
  done: (before) => `${before.username} is ${role} now; it was ${before.role}.`,
})

export const ban = ({ reason, until }: BanTerms, now: () => number): AccountChange => ({
  consequence: (account) =>
    `${named(account)} will be banned${until === null ? '' : ` until ${isoTime(until)}`}: its next request is refused, and so is every login.`,
  unseats: true,
  held: (account) => (account.banned ? `${account.username} is banned already` : null),
  action: 'ban',
  prepare: () => () => banned({ reason, since: now(), until, by: cliOrigin.actor }),
  done: ({ username }) => `${username} is banned.`,
})

export const unban: AccountChange = {
  consequence: null,
  unseats: false,
  held: (account) => (account.banned ? null : `${account.username} is not banned`),
  action: 'unban',
  prepare: () => () => unbanned,
  done: ({ username }) => `${username} is not banned any more.`,
}

export const revoke: AccountChange = {
  consequence: (account) => `${named(account)} will be signed out everywhere; it may sign in again.`,
  unseats: false,
  held: (account) => (account.tokenHash === null ? `${account.username} is signed in nowhere` : null),
  action: 'revoke-token',
  prepare: () => () => signedOut,
  done: ({ username }) => `${username} is signed out everywhere.`,
}
