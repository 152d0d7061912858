import { randomBytes } from 'node:crypto'
import type { Kind } from '../../images/kinds.ts'
import { keyOf } from '../../images/names.ts'
import { withAccounts } from '../accounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import { csvHeading, csvOf, isJson, jsonOf } from './details-file.ts'
import { writeWhole } from './write-whole.ts'

const pageSize = 500

/** Replaces the file once it is complete. Returns how many images it describes. */
export function exportDetails(cli: Cli, path: string, kind: Kind | undefined): Promise<number> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.part`
  const fail = ({ code }: NodeJS.ErrnoException): never => {
    throw new Failed(`${quoted(path)} cannot be written (${code}); choose another place.`)
  }
  return writeWhole({ path, temporary }, fail, (file) =>
    withAccounts(cli, { mayMake: true }, async ({ imageDetails }) => {
      let count = 0
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
      return count
    }),
  )
}
