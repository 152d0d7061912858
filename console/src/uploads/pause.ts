import type { Client, MenagerieError } from '../../../client/src/client.ts'
import { textOf } from '../parts/failure.tsx'
import { current, set } from './store.ts'

const firstPauseMs = 500
const maxPauseMs = 10_000

/** The service or a proxy says, or its silence does, that it cannot take anything for now. */
export const isAway = ({ status }: MenagerieError) => [0, 429, 502, 503, 504].includes(status)

export const isWell = (client: Client): Promise<boolean> =>
  client.health({ signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  )

/** Sends nothing until the service is there again. */
export async function pauseQueue(client: Client, reason: MenagerieError, goOn: () => void): Promise<void> {
  if (current().pause !== null) return
  set({ pause: textOf(reason) })
  let pauseMs = reason.retryAfterMs ?? firstPauseMs
  do {
    await timeOrNetwork(pauseMs)
    pauseMs = Math.min(Math.max(pauseMs, firstPauseMs) * 2, maxPauseMs)
  } while (!(await isWell(client)))
  set({ pause: null })
  goOn()
}

/** A browser that finds its network again need not wait. */
function timeOrNetwork(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
  })
}
