import { Argument, type Command } from 'commander'
import { type Role, roles } from '../accounts/roles.ts'
import type { Account } from '../accounts/users.ts'
import { type AccountChange, ban, revoke, setPassword, setRole, unban } from './account-change.ts'
import { findAccount, isLastOwner, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed, WrongUsage } from './failure.ts'

interface Yes {
  readonly yes?: boolean
}

export function changeCommands(user: Command, cli: Cli): void {
  const now = () => cli.clock.now()
  const command = (name: string, description: string, yesDoes = 'do it without asking') =>
    user.command(name).description(description).argument('<username|id>').option('--yes', yesDoes)

  command(
    'set-password',
    'Sets a new password, asked for or read from standard input, and signs the account out everywhere.',
  ).action((who: string, { yes }: Yes) => change(cli, who, setPassword(cli, now), yes))
  command('set-role', 'Gives another role; it acts on the next request.')
    .addArgument(new Argument('<role>').choices(roles))
    .action((who: string, role: Role, { yes }: Yes) => change(cli, who, setRole(role, now), yes))
  command('ban', 'Bans: the next request is refused, and so is every login.').action((who: string, { yes }: Yes) =>
    change(cli, who, ban(now), yes),
  )
  command(
    'unban',
    'Lifts a ban; a token from before it works again until it expires.',
    'for scripts that pass it everywhere; nothing is asked',
  ).action((who: string) => change(cli, who, unban(now)))
  command('revoke', 'Signs the account out everywhere; it may sign in again.').action((who: string, { yes }: Yes) =>
    change(cli, who, revoke, yes),
  )
}

/** Check, question, check again, write. Where nothing changes, nothing is asked and nothing is written. */
async function change(cli: Cli, who: string, what: AccountChange, yes = false): Promise<void> {
  const { ask, out } = cli
  const asks = what.consequence !== null && !yes
  if (asks && !ask.isPossible) throw new WrongUsage('There is no terminal to ask on; pass --yes if it is meant.')
  await withAccounts(cli, { mayMake: false }, async (accounts) => {
    const { users } = accounts
    const lookAt = async (which: string): Promise<Look> => {
      const account = await findAccount(users, which)
      return { account, isLastOwner: what.unseats && (await isLastOwner(users, account)) }
    }
    const before = await lookAt(who)
    const { account } = before
    const held = what.held(account)
    if (held !== null) return out.answer({ changed: false, user: shown(account) }, `${held}; nothing was changed.`)
    if (asks) {
      const question = questionOf(what, before)
      await ask.confirm(question)
      // A person may take minutes to answer: what was agreed to must still be what happens.
      if (questionOf(what, await lookAt(account.id)) !== question) throw changedMeanwhile(account)
    }
    const changed = await what.write(accounts, account)
    const user = shown(await findAccount(users, account.id))
    await out.answer({ changed, user }, changed ? what.done(account) : 'It was so already; nothing was changed.')
    if (before.isLastOwner) out.note('Nobody is left who may do everything; owner create makes an owner.')
  })
}

interface Look {
  readonly account: Account
  /** Whether the change leaves nobody who may do everything. */
  readonly isLastOwner: boolean
}

const questionOf = (what: AccountChange, { account, isLastOwner: isLast }: Look) =>
  `${what.consequence?.(account)}${isLast ? '\nIt is the last owner: nobody would be left who may do everything.' : ''}`

const changedMeanwhile = ({ username }: Account) =>
  new Failed(`${username} was changed by somebody else meanwhile; nothing was changed. Look at it again.`)
