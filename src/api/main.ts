import { useCompileCache } from '../process/compile-cache.ts'

useCompileCache()
const { run } = await import('../process/run.ts')

await run({
  name: 'api',
  address: { host: 'HOST', port: 'PORT' },
  load: async () => (await import('./api.ts')).startApi,
})
