import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// As in api.ts.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/menagerie', import.meta.url)))
const { run } = await import('./run.ts')

await run({
  name: 'status worker',
  address: { host: 'STATUS_HOST', port: 'STATUS_PORT' },
  load: async () => (await import('../status-worker.ts')).startWorker,
})
