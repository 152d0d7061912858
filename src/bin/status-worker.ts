import { useCompileCache } from './compile-cache.ts'

useCompileCache()
const { run } = await import('./run.ts')

await run({
  name: 'status worker',
  address: { host: 'STATUS_HOST', port: 'STATUS_PORT' },
  load: async () => (await import('../status-worker.ts')).startWorker,
})
