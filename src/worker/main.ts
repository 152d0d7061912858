import { useCompileCache } from '../process/compile-cache.ts'

useCompileCache()
const { run } = await import('../process/run.ts')

await run({
  name: 'status worker',
  address: { host: 'STATUS_HOST', port: 'STATUS_PORT' },
  load: async () => (await import('./worker.ts')).startWorker,
})
