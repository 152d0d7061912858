import { cliOrigin } from '../accounts/audit.ts'
import { createAccount } from '../accounts/create-account.ts'
import type { Role } from '../accounts/roles.ts'
import { checkUsername, nameTaken, shown, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'

/** The name is checked before the password prompt. */
export async function createUser(cli: Cli, username: string, role: Role): Promise<void> {
  checkUsername(username)
  const account = await withAccounts(cli, { mayMake: true }, async (accounts) => {
    const { users, checkPassword } = accounts
    const holder = await users.find({ username })
    if (holder) throw nameTaken(holder)
    const password = await cli.ask.newPassword(username, checkPassword)
    const created = await createAccount(accounts, cliOrigin, { username, role, password })
    return created ?? Promise.reject(nameTaken((await users.find({ username })) ?? { username, role }))
  })
  await cli.out.answer(
    { changed: true, user: shown(account) },
    `${account.username} was created: role ${role}, id ${account.id}`,
  )
}
