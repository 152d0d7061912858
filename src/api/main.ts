import { type ProcessSpec, run } from '../process/run.ts'

export const api: ProcessSpec = {
  name: 'api',
  address: { host: 'HOST', port: 'PORT' },
  load: async () => (await import('./api.ts')).startApi,
}

export const main = () => run(api)
