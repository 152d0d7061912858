import { randomBytes } from 'node:crypto'
import { open, rename, unlink } from 'node:fs/promises'
import type { Kind } from '../../images/kinds.ts'
import { keyOf } from '../../images/names.ts'
import { withAccounts } from '../accounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import { csvHeading, csvOf, isJson, jsonOf } from './details-file.ts'

const pageSize = 500

/** Replaces the file once it is complete. Returns how many images it describes. */
export async function exportDetails(cli: Cli, path: string, kind: Kind | undefined): Promise<number> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.part`
  const file = await open(temporary, 'wx').catch(failHere(path))
  let count = 0
  try {
    await withAccounts(cli, { mayMake: true }, async ({ imageDetails }) => {
      await file.writeFile(isJson(path) ? '[' : csvHeading)
      for (let after = kind === undefined ? '' : keyOf(kind, ''), isMore = true; isMore; ) {
        const page = await imageDetails.page(after, pageSize)
        const own = page.filter(({ name }) => kind === undefined || name.startsWith(keyOf(kind, '')))
        const rows = own.map(({ name, details }) => (isJson(path) ? jsonOf(name, details) : csvOf(name, details)))
        if (isJson(path))
          await file.writeFile(rows.map((row, index) => `${count + index > 0 ? ',' : ''}\n${row}`).join(''))
        else await file.writeFile(rows.join(''))
        count += own.length
        after = page.at(-1)?.name ?? after
        isMore = own.length === pageSize
      }
      if (isJson(path)) await file.writeFile('\n]\n')
    })
    await file.close()
    await rename(temporary, path).catch(failHere(path))
    return count
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(temporary).catch(() => {})
    throw error
  }
}

const failHere =
  (path: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new Failed(`${quoted(path)} cannot be written (${code}); choose another place.`)
  }
