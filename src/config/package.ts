import { readFileSync } from 'node:fs'

export const readPackage = (): { readonly version: string; readonly license: string; readonly author: string } =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** How the operator's tool is run: here, or from an installed package. */
export const cliCommand = import.meta.filename.endsWith('.ts') ? 'npm run cli --' : 'menagerie cli'
