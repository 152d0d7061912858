import { type Command, Option } from 'commander'
import type { ListedUser } from '../accounts/directory.ts'
import { type Role, roles } from '../accounts/roles.ts'
import { usernameForm } from '../accounts/username.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type Accounts, findAccount, oldestFirst, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { createUser } from './create-user.ts'
import { onOneLine, table, widthsOf } from './output.ts'
import { changeCommands } from './user-changes.ts'

const passwordHelp = 'The password is asked for, hidden and twice, or read from standard input as one line.'
const atATime = 500

interface Filter {
  readonly role?: Role
  readonly banned?: boolean
  readonly query?: string
}

export function ownerCommands(program: Command, cli: Cli): void {
  program
    .command('owner')
    .description('the accounts that may do everything')
    .command('create')
    .description(`Makes an account with role owner. ${passwordHelp}`)
    .argument('<username>')
    .action((username: string) => createUser(cli, username, 'owner'))
}

export function userCommands(program: Command, cli: Cli): void {
  const user = program.command('user').description('accounts: make, look at, change')
  user
    .command('create')
    .description(`Makes an account. ${passwordHelp}`)
    .argument('<username>')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).default('user'))
    .action((username: string, { role }: { role: Role }) => createUser(cli, username, role))
  user
    .command('list')
    .description('Lists the accounts, oldest first.')
    .addOption(new Option('--role <role>', 'only those with this role').choices(roles))
    .option('--banned', 'only those that are banned')
    .option('--query <text>', 'only those with this text in their name, in whatever case')
    .action((filter: Filter) => listUsers(cli, filter))
  user
    .command('show')
    .description('Shows one account.')
    .argument('<username|id>')
    .action((who: string) => showUser(cli, who))
  changeCommands(user, cli)
}

async function showUser(cli: Cli, who: string): Promise<void> {
  const account = await withAccounts(cli, { mayMake: false }, ({ users }) => findAccount(users, who))
  const rows = [
    ['username', account.username],
    ['id', account.id],
    ['role', account.role],
    ['banned', yesOrNo(account.banned)],
    ...(account.ban?.reason ? [['reason', onOneLine(account.ban.reason)]] : []),
    ...(account.ban?.until ? [['until', isoTime(account.ban.until)]] : []),
    ['signed in', account.tokenHash === null ? 'no' : 'yes, or its token has expired'],
    ['created', isoTime(account.createdAt)],
    ['updated', isoTime(account.updatedAt)],
  ]
  await cli.out.answer({ user: shown(account) }, table(rows))
}

/** Written as it is read, so that a million accounts need no more memory than a page of them. */
async function listUsers(cli: Cli, filter: Filter): Promise<void> {
  const { out } = cli
  await withAccounts(cli, { mayMake: false }, async ({ directory }) => {
    let count = 0
    let widths: number[] | undefined
    if (out.json) await out.write('{"users":[')
    for await (const page of pagesOf(directory, filter)) {
      if (out.json)
        await out.write(page.map((user, i) => `${count + i ? ',' : ''}\n${JSON.stringify(shown(user))}`).join(''))
      else {
        const rows = page.map(rowOf)
        const head = widths ? [] : [heading]
        widths ??=
          page.length < atATime
            ? widthsOf([...head, ...rows])
            : [usernameForm.maxLength, ...widthsOf([heading, ...rows]).slice(1)]
        await out.write(`${table([...head, ...rows], widths)}\n`)
      }
      count += page.length
    }
    if (out.json) await out.write(']}\n')
    else if (count === 0) out.note('No user.')
  })
}

async function* pagesOf(
  directory: Accounts['directory'],
  { role, banned, query: part }: Filter,
): AsyncGenerator<ListedUser[]> {
  const page = { filter: { role, banned, part }, order: oldestFirst, limit: atATime }
  for (let last: ListedUser | undefined; ; ) {
    const after = last ? { value: last.createdAt, id: last.id } : null
    const users: ListedUser[] = await directory.page({ ...page, after })
    if (users.length > 0) yield users
    if (users.length < atATime) return
    last = users.at(-1)
  }
}

const heading = ['USERNAME', 'ROLE', 'BANNED', 'CREATED', 'ID']
const rowOf = ({ username, role, banned, createdAt, id }: ListedUser) => [
  username,
  role,
  yesOrNo(banned),
  isoTime(createdAt),
  id,
]
const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
