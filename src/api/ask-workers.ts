import { withTimeout } from '../lib/timeout.ts'

const timeoutMs = 1_500
const maxBytes = 1_048_576

/** The body of the first worker that responds with 200; rejects if none does. The client is loaded only where it is used. */
export async function askWorkers(workers: readonly string[], path: string): Promise<string> {
  const { exchange } = await import('../drivers/status-pages/exchange.ts')

  async function ask(worker: string): Promise<string> {
    const { result, abort } = exchange({ method: 'GET', url: worker + path, wantsBody: true, maxBytes }, () => {})
    const found = await withTimeout(result, timeoutMs, () => abort('ETIMEDOUT'))
    if (found.kind !== 'response') throw new Error(`the status worker is unreachable (${found.code})`)
    if (found.status !== 200) throw new Error(`the status worker responded with HTTP ${found.status}`)
    if (found.broken !== null) throw new Error(`the status worker's response is incomplete (${found.broken})`)
    return found.body.toString()
  }

  return Promise.any(workers.map(ask)).catch(({ errors: [first] }) => {
    throw first
  })
}

/** The shortest timeout that the worker has for these components; null if it knows none of them, or does not respond. */
export async function askTimeoutMs(workers: readonly string[], ids: readonly string[]): Promise<number | null> {
  try {
    const { components } = JSON.parse(await askWorkers(workers, `/components?componentId=${ids.join(',')}`))
    const seconds = (components as { timeoutSeconds: unknown }[]).map(({ timeoutSeconds }) => timeoutSeconds)
    const isValid = seconds.length > 0 && seconds.every((each) => typeof each === 'number' && each > 0)
    return isValid ? Math.min(...(seconds as number[])) * 1000 : null
  } catch {
    return null
  }
}
