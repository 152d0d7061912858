import { Argument, type Command } from 'commander'
import { type Role, roles } from '../accounts/roles.ts'
import type { Account } from '../accounts/users.ts'
import { type AccountChange, ban, revoke, setPassword, setRole, unban } from './account-change.ts'
import { type Accounts, findAccount, isLastOwner, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed, WrongUsage } from './failure.ts'

interface Yes {
  readonly yes?: boolean
}

export function changeCommands(user: Command, cli: Cli): void {
  const now = () => cli.clock.now()
  const command = (name: string, description: string) =>
    user.command(name).description(description).argument('<username|id>')
  const asking = (name: string, description: string) =>
    command(name, description).option('--yes', 'do it without asking')

  asking(
    'set-password',
    'Sets a new password, asked for or read from standard input, and signs the account out everywhere.',
  ).action((who: string, { yes }: Yes) => change(cli, who, setPassword(cli, now), yes))
  asking('set-role', 'Gives another role; it acts on the next request.')
    .addArgument(new Argument('<role>').choices(roles))
    .action((who: string, role: Role, { yes }: Yes) => change(cli, who, setRole(role, now), yes))
  asking('ban', 'Bans: the next request is refused, and so is every login.').action((who: string, { yes }: Yes) =>
    change(cli, who, ban(now), yes),
  )
  command('unban', 'Lifts a ban; a token from before it works again until it expires.').action((who: string) =>
    change(cli, who, unban(now)),
  )
  asking('revoke', 'Signs the account out everywhere; it may sign in again.').action((who: string, { yes }: Yes) =>
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
    const account = await findAccount(users, who)
    const held = what.held(account)
    if (held !== null) return out.answer({ changed: false, user: shown(account) }, `${held}; nothing was changed.`)
    const isLast = what.unseats && (await isLastOwner(users, account))
    if (asks) await confirm(cli, accounts, account, what)
    const changed = await what.write(accounts, account)
    const user = shown(await findAccount(users, account.id))
    await out.answer({ changed, user }, changed ? what.done(account) : 'It was so already; nothing was changed.')
    if (isLast) out.note('Nobody is left who may do everything; owner create makes an owner.')
  })
}

/** A person may take minutes to answer: what was agreed to must still be what happens. */
async function confirm({ ask }: Cli, { users }: Accounts, account: Account, what: AccountChange): Promise<void> {
  const consequenceFor = async (of: Account) => {
    const isLast = what.unseats && (await isLastOwner(users, of))
    return `${what.consequence?.(of)}${isLast ? '\nIt is the last owner: nobody would be left who may do everything.' : ''}`
  }
  const asked = await consequenceFor(account)
  await ask.confirm(asked)
  if ((await consequenceFor(await findAccount(users, account.id))) === asked) return
  throw new Failed(`${account.username} was changed by somebody else meanwhile; nothing was changed. Look at it again.`)
}
