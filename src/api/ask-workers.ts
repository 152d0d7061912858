import { withTimeout } from '../lib/timeout.ts'

const timeoutMs = 1_500
const searchMs = 500
export const maxBytes = 1_048_576

/** Carries the status of an unusable response; null if there was none. */
export class Unanswered extends Error {
  readonly status: number | null

  constructor(problem: string, status: number | null) {
    super(`the status worker ${problem}`)
    this.status = status
  }
}

export class NoLeader extends Error {
  readonly isStandingBy: boolean

  constructor(isStandingBy: boolean) {
    super('no status worker leads')
    this.isStandingBy = isStandingBy
  }
}

/** The client is loaded only when needed. */
async function get(worker: string, path: string, ms: number): Promise<string> {
  const { exchange } = await import('../drivers/status-pages/exchange.ts')
  const { result, abort } = exchange({ method: 'GET', url: worker + path, wantsBody: true, maxBytes }, () => {})
  const found = await withTimeout(result, ms, () => abort('ETIMEDOUT'))
  if (found.kind !== 'response') throw new Unanswered(`is unreachable (${found.code})`, null)
  if (found.status !== 200) throw new Unanswered(`responded with HTTP ${found.status}`, found.status)
  if (found.broken !== null) throw new Unanswered(`sent an incomplete response (${found.broken})`, null)
  return found.body.toString()
}

/** The body of the first worker that responds with 200; rejects if none does. */
export const askWorkers = (workers: readonly string[], path: string): Promise<string> =>
  Promise.any(workers.map((worker) => get(worker, path, timeoutMs))).catch(({ errors: [first] }) => {
    throw first ?? new Unanswered('has no URL', null)
  })

/** The leader among several workers; a single one is not asked. Rejects with `NoLeader`. */
export async function findLeader(workers: readonly string[]): Promise<string> {
  const [first, ...others] = workers
  if (first !== undefined && others.length === 0) return first
  const leads = async (worker: string) => {
    // A stand-by refuses this.
    await get(worker, '/components?componentId=-', searchMs)
    return worker
  }
  return Promise.any(workers.map(leads)).catch(({ errors }: AggregateError) => {
    throw new NoLeader(errors.some(({ status }: Unanswered) => status === 503))
  })
}

/** The worker's shortest timeout for these components; null if it knows none of them or does not respond. */
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
