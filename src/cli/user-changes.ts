import { Argument, type Command, Option } from 'commander'
import type { BanTerms } from '../accounts/admin/acts.ts'
import { maxReasonLength } from '../accounts/admin/limits.ts'
import { type Role, roles } from '../accounts/roles.ts'
import type { Account } from '../accounts/users.ts'
import { type AccountChange, ban, deletion, rename, revoke, setPassword, setRole, unban } from './account-change.ts'
import { checkUsername, findAccount, isLastOwner, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed, WrongUsage } from './failure.ts'
import { readTime } from './local-time.ts'

interface Yes {
  readonly yes?: boolean
}

export function changeCommands(user: Command, cli: Cli): void {
  const command = (name: string, description: string, yesDoes = 'do not ask for confirmation') =>
    user.command(name).description(description).argument('<username|id>').option('--yes', yesDoes)

  command(
    'set-password',
    'Set a new password, prompted for or read from standard input, sign the account out everywhere, and end its API keys and embed links.',
  ).action((who: string, { yes }: Yes) => change(cli, who, setPassword(cli), yes))
  command('set-role', 'Change the role, with effect from the next request.')
    .addArgument(new Argument('<role>').choices(roles))
    .action((who: string, role: Role, { yes }: Yes) => change(cli, who, setRole(role), yes))
  command('ban', 'Ban an account: its requests and logins are refused.')
    .option('--reason <text>', 'reason, visible to administrators')
    .addOption(
      new Option('--until <time>', 'end of the ban: a date or time, by default in the zone of this machine').argParser(
        readTime,
      ),
    )
    .action((who: string, { yes, reason, until = null }: Yes & BanTerms) => {
      if (reason && [...reason].length > maxReasonLength)
        throw new WrongUsage(`--reason: expected at most ${maxReasonLength} characters.`)
      if (until !== null && until <= cli.clock.now()) throw new WrongUsage('--until: expected a time in the future.')
      return change(cli, who, ban({ reason: reason || null, until }), yes)
    })
  command(
    'unban',
    'Lift a ban; a token from before it is valid again until it expires.',
    'accepted for scripts; there is no confirmation',
  ).action((who: string) => change(cli, who, unban))
  command('rename', 'Change the username. The token stays valid, and the old name becomes free.')
    .argument('<new-username>')
    .action((who: string, name: string, { yes }: Yes) => {
      checkUsername(name)
      return change(cli, who, rename(name), yes)
    })
  command(
    'delete',
    'Delete an account and its counters for good. The audit keeps its id. The last owner cannot be deleted.',
  ).action((who: string, { yes }: Yes) => change(cli, who, deletion, yes))
  command(
    'revoke',
    'Sign the account out everywhere, and end its API keys and embed links; it can sign in again.',
  ).action((who: string, { yes }: Yes) => change(cli, who, revoke, yes))
}

/** Checks, asks for confirmation, checks again, and writes. If nothing would change, neither asks nor writes. */
async function change(cli: Cli, who: string, what: AccountChange, yes = false): Promise<void> {
  const { ask, out } = cli
  const asks = what.consequence !== null && !yes
  if (asks) ask.checkPossible()
  await withAccounts(cli, { mayMake: false }, async (accounts) => {
    const { users } = accounts
    /** `isLastOwner`: whether the change leaves no owner. */
    const lookAt = async (which: string) => {
      const account = await findAccount(users, which)
      return { account, isLastOwner: what.unseats && (await isLastOwner(accounts, account)) }
    }
    const before = await lookAt(who)
    const { account } = before
    const idle = what.whyIdle?.(account) ?? null
    if (idle !== null) return out.print({ changed: false, user: shown(account) }, `${idle}; nothing was changed.`)
    await what.check?.(accounts, account)
    if (asks) {
      const question = questionOf(what, before)
      await ask.confirm(question)
      // The account may have changed before the answer: what was confirmed must be what happens.
      if (questionOf(what, await lookAt(account.id)) !== question) throw changedMeanwhile(account)
    }
    const { changed, account: after } = await what.apply(accounts, account)
    const user = shown(after ?? (await findAccount(users, account.id)))
    await out.print({ changed, user }, changed ? what.done(account) : 'There was nothing to change.')
    if (before.isLastOwner)
      out.note('There is no owner left: make an account one by user set-role, or create one by owner create.')
  })
}

const questionOf = (
  what: AccountChange,
  { account, isLastOwner: isLast }: { account: Account; isLastOwner: boolean },
) => `${what.consequence?.(account)}${isLast ? '\nThis is the last owner: there would be no owner left.' : ''}`

const changedMeanwhile = ({ username }: Account) =>
  new Failed(`${username} was changed in the meantime, so this command changed nothing. Check it and try again.`)
