import { registerHooks } from 'node:module'

/* Loaded into the server before its own code: its journal is the one that counts in turn and not. */

const switched = new URL('switched-journal.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context)
    const isReal = found.url.endsWith('/src/accounts/journal.ts') && context.parentURL !== switched
    return isReal ? { ...found, url: switched } : found
  },
})
