import { type Client, MenagerieError } from '../../../client/src/client.ts'
import { serverNow } from '../session/server-clock.ts'
import { current, set } from './store.ts'

const firstPauseMs = 500
const maxPauseMs = 10_000

/** The service and its object store are available. An ended session shows at the next upload. */
export const isWell = (client: Client): Promise<boolean> =>
  client.store.test({ signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    (error) => error instanceof MenagerieError && (error.status === 401 || error.status === 403),
  )

interface Reason {
  readonly text: string
  /** Set if the service said how long. */
  readonly ms?: number | undefined
}

/** Sends nothing until the service accepts uploads again. */
export async function pauseQueue(client: Client, { text, ms }: Reason, goOn: () => void): Promise<void> {
  if (current().pause !== null) return
  set({ pause: { text, until: ms === undefined ? null : serverNow() + ms } })
  let pauseMs = ms ?? firstPauseMs
  do {
    await timeOrNetwork(pauseMs)
    pauseMs = Math.min(Math.max(pauseMs, firstPauseMs) * 2, maxPauseMs)
  } while (!(await isWell(client)))
  set({ pause: null })
  goOn()
}

/** Ends early when the browser is back online. */
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
