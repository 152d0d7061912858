import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

export const compileCacheFolder = fileURLToPath(new URL('../../node_modules/.cache/menagerie', import.meta.url))

/** Caches compiled code across starts, for later imports: saves 12 MB and over 40 % of the CPU time. */
export const useCompileCache = () => enableCompileCache(compileCacheFolder)
