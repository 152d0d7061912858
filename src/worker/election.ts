import { setTimeout as sleep } from 'node:timers/promises'
import { BadSetting } from '../config/parser.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'
import { withoutStack } from '../process/outages.ts'
import type { StateLease, StateStore } from '../status/state-store.ts'

/** On a shared database, another worker may be the leader; if none is, this one leads by then. */
const maxStartMs = 1_000
const retryMs = 2_000

interface ElectionDeps<Leader> {
  readonly lease: StateLease
  /** Without a shared database there is no stand-by: if the lease cannot be acquired, the start fails. */
  readonly isEmbedded: boolean
  readonly log: Pick<Logger, 'info' | 'error'>
  lead(store: StateStore): Promise<Leader>
  resign(leader: Leader, isStopping: boolean): Promise<void>
}

/** Decides which worker leads: waits for the lease, leads until it is lost, and stands by again. */
export async function startElection<Leader>(deps: ElectionDeps<Leader>) {
  const { lease, isEmbedded, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const first = Promise.withResolvers<void>()
  let leader: Leader | null = null
  let hasStarted = false
  let hasLost = false

  const leadOnce = async (): Promise<void> => {
    const over = Promise.withResolvers<void>()
    const store = await lease.acquire(signal, (reason) => {
      const err = reason instanceof Error ? withoutStack(reason) : reason
      log.error({ err }, 'the lease was lost, another worker may lead now; this one stands by')
      hasLost = true
      over.resolve()
    })
    const isBack = hasLost
    hasLost = false
    const stop = () => over.resolve()
    signal.addEventListener('abort', stop)
    try {
      const elected = await deps.lead(store)
      leader = elected
      if (isBack && !hasLost) log.info('this worker leads again')
      first.resolve()
      if (!signal.aborted) await over.promise
      leader = null
      await deps.resign(elected, signal.aborted)
    } catch (error) {
      await store.close().catch(() => {})
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  const run = async (): Promise<void> => {
    let logged = ''
    while (!signal.aborted) {
      try {
        await leadOnce()
        logged = ''
      } catch (error) {
        if (signal.aborted) return
        if (!hasStarted && (isEmbedded || error instanceof BadSetting)) return first.reject(error)
        const { message } = error as Error
        if (message !== logged) log.error({ err: error }, 'the lease could not be acquired; retrying every 2 s')
        logged = message
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  const running = run()
  try {
    await (isEmbedded ? first.promise : withTimeout(first.promise, maxStartMs, () => null))
  } catch (error) {
    stopping.abort(new Error('the start failed'))
    await lease.close()
    throw error
  }
  hasStarted = true
  return {
    /** Null while this worker stands by. */
    get leader(): Leader | null {
      return leader
    },
    async stop(): Promise<void> {
      stopping.abort(new Error('the worker is stopping'))
      await running
      await lease.close()
    },
  }
}
