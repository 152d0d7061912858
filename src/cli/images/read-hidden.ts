import { readConfig } from '../../config/config.ts'
import { readDatabaseStatus } from '../../drivers/accounts/open-database.ts'
import { withAccounts } from '../accounts.ts'
import type { Cli } from '../cli-context.ts'
import { failureOf } from '../failure.ts'

/** Null, with a note, if the database cannot be read: the store can be listed all the same. */
export async function readHidden(cli: Cli): Promise<ReadonlySet<string> | null> {
  try {
    const { state } = await readDatabaseStatus(readConfig(cli.env), { deep: false, now: cli.clock.now() })
    if (state === 'missing' || state === 'empty') return new Set()
    return await withAccounts(cli, { mayMake: false }, async ({ hiddenImages }) => new Set(await hiddenImages.hidden()))
  } catch (error) {
    cli.out.note(`It is not known which images are hidden. ${failureOf(error).message}`)
    return null
  }
}
