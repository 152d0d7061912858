import { registerHooks } from 'node:module'

/* Loaded into the server before its own code: its limiter is the one that counts in turn and not. */

const switched = new URL('switched-limiter.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context)
    const isReal = found.url.endsWith('/src/limits/limiter.ts') && context.parentURL !== switched
    return isReal ? { ...found, url: switched } : found
  },
})
