import { type Command, Option } from 'commander'
import { createUser as create } from '../accounts/admin/create-user.ts'
import { cliOrigin } from '../accounts/audit.ts'
import type { ListedUser } from '../accounts/directory.ts'
import { type Role, roles } from '../accounts/roles.ts'
import { usernameForm } from '../accounts/username.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type Accounts, checkUsername, findAccount, nameTaken, oldestFirst, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { pageSize, writeList } from './list.ts'
import { onOneLine, table } from './output.ts'
import { changeCommands } from './user-changes.ts'

const passwordHelp = 'The password is prompted for, or read from standard input as one line.'

interface Filter {
  readonly role?: Role
  readonly banned?: boolean
  readonly query?: string
}

export function ownerCommands(program: Command, cli: Cli): void {
  program
    .command('owner')
    .description('create an owner')
    .command('create')
    .description(`Create an account with role owner. ${passwordHelp}`)
    .argument('<username>')
    .action((username: string) => createUser(cli, username, 'owner'))
}

export function userCommands(program: Command, cli: Cli): void {
  const user = program.command('user').description('create, inspect and change accounts')
  user
    .command('create')
    .description(`Create an account. ${passwordHelp}`)
    .argument('<username>')
    .addOption(new Option('--role <role>', 'role of the account').choices(roles).default('user'))
    .action((username: string, { role }: { role: Role }) => createUser(cli, username, role))
  user
    .command('list')
    .description('List the accounts, oldest first.')
    .addOption(new Option('--role <role>', 'only this role').choices(roles))
    .option('--banned', 'only banned accounts')
    .option('--query <text>', 'only usernames that contain this text, case-insensitive')
    .action((filter: Filter) => listUsers(cli, filter))
  user
    .command('show')
    .description('Show one account.')
    .argument('<username|id>')
    .action((who: string) => showUser(cli, who))
  changeCommands(user, cli)
}

/** The name is checked before the password prompt. */
async function createUser(cli: Cli, username: string, role: Role): Promise<void> {
  checkUsername(username)
  const account = await withAccounts(cli, { mayMake: true }, async (accounts) => {
    const { users, checkPassword } = accounts
    const holder = await users.find({ username })
    if (holder) throw nameTaken(holder)
    const password = await cli.ask.newPassword(username, checkPassword)
    return (await create(accounts, cliOrigin, { username, role, password })).account
  })
  await cli.out.print(
    { changed: true, user: shown(account) },
    `${account.username} was created: role ${role}, id ${account.id}`,
  )
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
    ['signed in', account.tokenHash === null ? 'no' : 'yes, unless the token has expired'],
    ['created', isoTime(account.createdAt)],
    ['updated', isoTime(account.updatedAt)],
  ]
  await cli.out.print({ user: shown(account) }, table(rows))
}

const listUsers = (cli: Cli, filter: Filter): Promise<void> =>
  withAccounts(cli, { mayMake: false }, ({ directory }) =>
    writeList(cli.out, {
      name: 'users',
      pages: pagesOf(directory, filter),
      heading: ['USERNAME', 'ROLE', 'BANNED', 'CREATED', 'ID'],
      rowOf: ({ username, role, banned, createdAt, id }) => {
        return [username, role, yesOrNo(banned), isoTime(createdAt), id]
      },
      maxWidth: usernameForm.maxLength,
      shown,
    }),
  )

async function* pagesOf(
  directory: Accounts['directory'],
  { role, banned, query: part }: Filter,
): AsyncGenerator<ListedUser[]> {
  const page = { filter: { role, banned, part }, order: oldestFirst, limit: pageSize }
  for (let last: ListedUser | undefined; ; ) {
    const after = last ? { value: last.createdAt, id: last.id } : null
    const users: ListedUser[] = await directory.page({ ...page, after })
    if (users.length > 0) yield users
    if (users.length < pageSize) return
    last = users.at(-1)
  }
}

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
