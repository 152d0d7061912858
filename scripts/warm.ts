import { useCompileCache } from '../src/process/compile-cache.ts'

/* Loads both programs to fill the compile cache, so that the first start is as small and fast as later ones. */

useCompileCache()
await import('../src/process/run.ts')
await import('../src/api/api.ts')
await import('../src/worker/worker.ts')
