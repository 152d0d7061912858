import { run } from '../process/run.ts'

export const main = () =>
  run({
    name: 'status worker',
    address: { host: 'STATUS_HOST', port: 'STATUS_PORT' },
    load: async () => (await import('./worker.ts')).startWorker,
  })
