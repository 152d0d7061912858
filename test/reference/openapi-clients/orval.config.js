const client = (input, target) => ({ input, output: { target, client: 'fetch' } })

export default {
  api: client('openapi.json', 'orval-api.ts'),
  worker: client('openapi.worker.json', 'orval-worker.ts'),
}
