import { actOnUser } from '../accounts/admin/act-on-user.ts'
import * as acts from '../accounts/admin/acts.ts'
import { cliOrigin } from '../accounts/audit.ts'
import { setPassword as savePassword } from '../accounts/change-password.ts'
import { errors } from '../accounts/errors.ts'
import type { Role } from '../accounts/roles.ts'
import type { Account, ActResult } from '../accounts/users.ts'
import { readConfig } from '../config/config.ts'
import { refuse } from '../http/refusal.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type Accounts, isLastOwner, nameTaken } from './accounts.ts'
import type { Cli } from './cli-context.ts'

/** One kind of change to an account: its messages, and how to apply it. */
export interface AccountChange {
  /** What will happen, for the confirmation prompt; null if none is needed. */
  readonly consequence: ((account: Account) => string) | null
  /** Whether to warn if it affects the last owner. */
  readonly unseats: boolean
  /** Why there is nothing to do; null otherwise. */
  whyIdle?(account: Account): string | null
  /** Throws, before the confirmation, if the change is impossible. */
  check?(accounts: Accounts, account: Account): Promise<void>
  /** `changed` is false if someone has meanwhile made the same change. */
  apply(accounts: Accounts, account: Account): Promise<Pick<ActResult, 'changed' | 'account'>>
  done(before: Account): string
}

const named = ({ username, role, banned }: Account) => `${username} (${role}${banned ? ', banned' : ''})`

export const setPassword = (cli: Cli): AccountChange => ({
  consequence: (account) =>
    `${named(account)} will get a new password and be signed out everywhere, and its API keys and embed links will end.`,
  unseats: false,
  apply: async (accounts, { id, username }) =>
    savePassword(accounts, cliOrigin, { id }, await cli.ask.newPassword(username, accounts.checkPassword)),
  done: ({ username }) =>
    `${username} has a new password and is signed out everywhere. Wrong passwords from before still count for a while${
      readConfig(cli.env).REDIS_URL === null
        ? ', or until the API restarts.'
        : `; to forget those for the name, run: limits reset ${username}`
    }`,
})

export const setRole = (role: Role): AccountChange => ({
  consequence: (account) => `${named(account)} will be ${role} from its next request on.`,
  unseats: role !== 'owner',
  whyIdle: (account) => (account.role === role ? `${account.username} is already ${role}` : null),
  apply: (accounts, { id }) => actOnUser(accounts, acts.changeRole, cliOrigin, { id }, { role }),
  done: (before) => `${before.username} is now ${role}, was ${before.role}.`,
})

export const rename = (name: string): AccountChange => ({
  consequence: (account) => `${named(account)} will be renamed to ${name}; its token stays valid.`,
  unseats: false,
  whyIdle: (account) => (account.username === name ? `${name} already has that name` : null),
  async check({ users }, { id }) {
    const holder = await users.find({ username: name })
    if (holder && holder.id !== id) throw nameTaken(holder)
  },
  apply: (accounts, { id }) => actOnUser(accounts, acts.rename, cliOrigin, { id }, { newUsername: name }),
  done: (before) => `${name} is the new name of ${before.username}.`,
})

export const deletion: AccountChange = {
  consequence: (account) => `${named(account)} will be deleted with its counters. This cannot be undone.`,
  unseats: false,
  async check(accounts, account) {
    if (await isLastOwner(accounts, account)) refuse(errors.lastOwner)
  },
  apply: (accounts, { id }) => actOnUser(accounts, acts.deleteUser, cliOrigin, { id }, {}),
  done: ({ username }) => `${username} is deleted.`,
}

export const ban = ({ reason, until = null }: acts.BanTerms): AccountChange => ({
  consequence: (account) =>
    `${named(account)} will be banned${until === null ? '' : ` until ${isoTime(until)}`}: its requests and logins will be refused.`,
  unseats: true,
  whyIdle: ({ username, ban }) =>
    ban &&
    `${username} is already banned${ban.until === null ? '' : ` until ${isoTime(ban.until)}`}; for other terms, lift the ban first`,
  apply: (accounts, { id }) => actOnUser(accounts, acts.ban, cliOrigin, { id }, { reason, until }),
  done: ({ username }) => `${username} is banned.`,
})

export const unban: AccountChange = {
  consequence: null,
  unseats: false,
  whyIdle: (account) => (account.banned ? null : `${account.username} is not banned`),
  apply: (accounts, { id }) => actOnUser(accounts, acts.unban, cliOrigin, { id }, {}),
  done: ({ username }) => `${username} is no longer banned.`,
}

export const revoke: AccountChange = {
  consequence: (account) =>
    `${named(account)} will be signed out everywhere, and its API keys and embed links will end; it can sign in again.`,
  unseats: false,
  apply: (accounts, { id }) => actOnUser(accounts, acts.revokeToken, cliOrigin, { id }, {}),
  done: ({ username }) => `${username} is signed out everywhere.`,
}
