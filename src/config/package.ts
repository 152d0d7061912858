import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const readPackage = (): { readonly version: string; readonly license: string; readonly author: string } =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The first 12 digits: of a package the commit that it was built from, else the one checked out; null if unknown. */
export function readCommit(root = fileURLToPath(new URL('../..', import.meta.url))): string | null {
  try {
    const built = join(root, 'dist/commit')
    const commit = existsSync(built) && !isSource ? readFileSync(built, 'utf8') : checkedOut(join(root, '.git'))
    return /^[0-9a-f]{12}/.exec(commit)?.[0] ?? null
  } catch {
    return null
  }
}

/** Without git, which the service's user may lack, and which refuses a checkout of another user. */
function checkedOut(git: string): string {
  const read = (path: string) => readFileSync(path, 'utf8').trim()
  // In a further worktree of a clone, a file names the folder, and that its common one.
  const folder = statSync(git).isFile() ? resolve(dirname(git), read(git).replace('gitdir: ', '')) : git
  const head = read(join(folder, 'HEAD'))
  if (!head.startsWith('ref: ')) return head
  const ref = head.slice(5)
  const common = existsSync(join(folder, 'commondir')) ? resolve(folder, read(join(folder, 'commondir'))) : folder
  if (existsSync(join(common, ref))) return read(join(common, ref))
  return (
    read(join(common, 'packed-refs'))
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`)) ?? ''
  )
}

const isSource = import.meta.filename.endsWith('.ts')

/** Not a package, which is compiled, nor the systemd units, which run a checkout through its command. */
const isCheckout = isSource && basename(process.argv[1] ?? '') !== 'menagerie.js'

/** How to run the operator's tool: in a checkout, or as installed. */
export const cliCommand = isCheckout ? 'npm run cli --' : 'menagerie cli'
/** The same for a script, without npm's own lines. With npm, since the Node on PATH may be too old. */
export const cliInScripts = isCheckout ? 'npm run -s cli --' : cliCommand
