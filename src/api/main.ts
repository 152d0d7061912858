import { run } from '../process/run.ts'

export const main = () =>
  run({
    name: 'api',
    address: { host: 'HOST', port: 'PORT' },
    load: async () => (await import('./api.ts')).startApi,
  })
