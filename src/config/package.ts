import { readFileSync } from 'node:fs'

export const readPackage = (): { readonly version: string; readonly license: string; readonly author: string } =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

const isCheckout = import.meta.filename.endsWith('.ts')

/** How to run the operator's tool: in a checkout, or from an installed package, which is compiled. */
export const cliCommand = isCheckout ? 'npm run cli --' : 'menagerie cli'
/** The same for a script: npm prints its own lines. */
export const cliInScripts = isCheckout ? 'node src/bin/cli.ts' : cliCommand
