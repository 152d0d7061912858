import type { Health, Probe } from './base/readiness.ts'

/* How /ready looks at the parts that log their own outages. */

/** Redis that answers too late for the limits is away as well. */
export const redisProbe = (health: () => Health | null): Probe => ({
  name: 'redis',
  logsItself: true,
  async check() {
    const found = health()
    if (found !== 'up') throw new Error(`Redis is ${found ?? 'not connected yet'}`)
  },
})

const workerTimeoutMs = 1_500

/** Asks the status worker whether it lives; the client is loaded only where it is used. */
export async function workerProbe(workerUrl: string): Promise<Probe> {
  const { exchange } = await import('./drivers/status-pages/exchange.ts')
  const address = new URL(workerUrl)
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/livez`
  const url = address.href
  return {
    name: 'statusWorker',
    logsItself: true,
    async check() {
      const { answer, stop } = exchange({ method: 'GET', url }, () => {})
      const timer = setTimeout(stop, workerTimeoutMs, 'ETIMEDOUT')
      const found = await answer
      clearTimeout(timer)
      if (found.kind !== 'answered') throw new Error(`the status worker is away (${found.code})`)
      if (found.status !== 200) throw new Error(`the status worker answered ${found.status}`)
    },
  }
}
