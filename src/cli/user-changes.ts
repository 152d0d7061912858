import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { BanTerms } from '../accounts/admin/ban.ts'
import { mostReason } from '../accounts/admin/limits.ts'
import { type Role, roles } from '../accounts/roles.ts'
import type { Account } from '../accounts/users.ts'
import { readTimestamp } from '../lib/timestamps.ts'
import { type AccountChange, ban, revoke, setPassword, setRole, unban } from './account-change.ts'
import { findAccount, isLastOwner, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed, WrongUsage } from './failure.ts'

interface Yes {
  readonly yes?: boolean
}

export function changeCommands(user: Command, cli: Cli): void {
  const command = (name: string, description: string, yesDoes = 'do it without asking') =>
    user.command(name).description(description).argument('<username|id>').option('--yes', yesDoes)

  command(
    'set-password',
    'Sets a new password, asked for or read from standard input, and signs the account out everywhere.',
  ).action((who: string, { yes }: Yes) => change(cli, who, setPassword(cli), yes))
  command('set-role', 'Gives another role; it acts on the next request.')
    .addArgument(new Argument('<role>').choices(roles))
    .action((who: string, role: Role, { yes }: Yes) => change(cli, who, setRole(role), yes))
  command('ban', 'Bans: the next request is refused, and so is every login.')
    .option('--reason <text>', 'why; administrators can read it')
    .addOption(
      new Option('--until <time>', 'when it ends by itself, such as 2026-12-31T00:00:00Z').argParser(readUntil),
    )
    .action((who: string, { yes, reason, until = null }: Yes & BanTerms) => {
      if (reason && [...reason].length > mostReason)
        throw new WrongUsage(`--reason: expected at most ${mostReason} characters.`)
      if (until !== null && until <= cli.clock.now()) throw new WrongUsage('--until: expected a time in the future.')
      return change(cli, who, ban({ reason: reason || null, until }), yes)
    })
  command(
    'unban',
    'Lifts a ban; a token from before it works again until it expires.',
    'for scripts that pass it everywhere; nothing is asked',
  ).action((who: string) => change(cli, who, unban))
  command('revoke', 'Signs the account out everywhere; it may sign in again.').action((who: string, { yes }: Yes) =>
    change(cli, who, revoke, yes),
  )
}

function readUntil(text: string): number {
  const at = readTimestamp(text)
  if (at === undefined)
    throw new InvalidArgumentError('Expected a timestamp with its zone, such as 2026-12-31T00:00:00Z.')
  return at
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
      return { account, isLastOwner: what.unseats && (await isLastOwner(accounts, account)) }
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
    const { changed } = await what.apply(accounts, account)
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
