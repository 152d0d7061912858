import { type ProcessSpec, run } from '../process/run.ts'

export const worker: ProcessSpec = {
  name: 'status worker',
  address: { host: 'STATUS_HOST', port: 'STATUS_PORT' },
  load: async () => (await import('./worker.ts')).startWorker,
}

export const main = () => run(worker)
