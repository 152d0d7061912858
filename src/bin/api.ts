import { useCompileCache } from './compile-cache.ts'

useCompileCache()
const { run } = await import('./run.ts')

await run({
  name: 'api',
  address: { host: 'HOST', port: 'PORT' },
  load: async () => (await import('../api.ts')).startApi,
})
