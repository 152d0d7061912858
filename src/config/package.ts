import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

export const readPackage = (): { readonly version: string; readonly license: string; readonly author: string } =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** Not a package, which is compiled, nor the systemd units, which run a checkout through its command. */
const isCheckout = import.meta.filename.endsWith('.ts') && basename(process.argv[1] ?? '') !== 'menagerie.js'

/** How to run the operator's tool: in a checkout, or as installed. */
export const cliCommand = isCheckout ? 'npm run cli --' : 'menagerie cli'
/** The same for a script: npm prints its own lines. */
export const cliInScripts = isCheckout ? 'node src/bin/cli.ts' : cliCommand
