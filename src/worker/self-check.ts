import { type Client, openClient } from '../drivers/status-pages/client.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { StateStore } from '../status/state-store.ts'

export const selfCheckEveryMs = 60_000
const maxTickAgeMs = 5_000

interface SelfCheckDeps {
  readonly store: Pick<StateStore, 'holdsLease' | 'probe'>
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Pinged while this worker leads, ticks and can save, so that its own death is noticed elsewhere. */
  readonly url: string | null
  readonly client?: Client
}

/** A dead man's switch: checks whether this worker leads, ticks and can save, and if so pings `url`. */
export function createSelfCheck({ store, clock, log, url, client = openClient() }: SelfCheckDeps) {
  const pings = { ok: 0, failed: 0 }
  let isWorking: boolean | null = null
  let tickedAt = clock.monotonic()
  let isChecking = false
  let hasFailed = false

  const works = async (): Promise<boolean> => {
    if (!store.holdsLease() || clock.monotonic() - tickedAt > maxTickAgeMs) return false
    return store.probe(clock.now()).then(
      () => store.holdsLease(),
      () => false,
    )
  }

  const ping = async (to: string): Promise<void> => {
    const result = await client.send({ method: 'GET', url: to })
    const isOk = result.kind === 'response' && result.status >= 200 && result.status < 300
    pings[isOk ? 'ok' : 'failed'] += 1
    // Does not name the URL, which is a secret.
    const reason = result.kind === 'response' ? `HTTP ${result.status}` : result.code
    if (!isOk && !hasFailed) log.warn({ reason }, 'the ping to STATUS_PING_URL failed')
    if (isOk && hasFailed) log.info('the ping to STATUS_PING_URL succeeds again')
    hasFailed = !isOk
  }

  return {
    /** The result of the last check; null before the first. */
    get isWorking(): boolean | null {
      return isWorking
    },
    pings: pings as Readonly<typeof pings>,
    ticked(): void {
      tickedAt = clock.monotonic()
    },
    async check(): Promise<void> {
      if (isChecking) return
      isChecking = true
      try {
        isWorking = await works()
        if (isWorking && url !== null) await ping(url)
      } finally {
        isChecking = false
      }
    },
    close: client.close,
  }
}
