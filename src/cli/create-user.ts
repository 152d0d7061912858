import { cliOrigin } from '../accounts/audit.ts'
import { newAccount } from '../accounts/new-account.ts'
import type { Role } from '../accounts/roles.ts'
import { createIds } from '../lib/ids.ts'
import { checkUsername, nameTaken, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'

/** Makes an account that is signed in nowhere. The name is looked at before a password is asked for. */
export async function createUser(cli: Cli, username: string, role: Role): Promise<void> {
  checkUsername(username)
  const account = await withAccounts(cli, { mayMake: true }, async ({ users, passwords, checkPassword }) => {
    const holder = await users.find({ username })
    if (holder) throw nameTaken(holder)
    const passwordHash = await passwords.hash(await cli.ask.newPassword(username, checkPassword))
    const id = createIds(cli.clock)()
    const made = newAccount({ id, username, role, passwordHash, tokenHash: null, now: cli.clock.now() })
    const inserted = await users.insert(made, { action: 'create', by: cliOrigin })
    if (!inserted) throw nameTaken((await users.find({ username })) ?? made)
    return made
  })
  await cli.out.answer(
    { changed: true, user: shown(account) },
    `${account.username} was created: role ${role}, id ${account.id}`,
  )
}
