import { setTimeout as sleep } from 'node:timers/promises'
import { BadSetting } from '../../config/parser.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Logger } from '../../process/logger.ts'
import type { StateLease } from '../../status/state-store.ts'
import { advisoryLocks } from '../postgres/advisory-locks.ts'
import { postgresDatabase } from './postgres-database.ts'
import { createLink, type Link, type Pace } from './postgres-link.ts'
import { prepareTables, refusalOf, type UrlSetting } from './postgres-schema.ts'
import { createStateStore } from './store.ts'

export interface PostgresLease extends Partial<Pace> {
  readonly url: string
  /** The setting that the URL comes from, for messages. */
  readonly setting?: UrlSetting
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/**
 * The lease on a database that several workers share. The leader's session holds an advisory lock, which the stand-bys
 * poll every `pollMs`. The server ends the session and its lock if the leader is silent for `pollMs + answerMs`.
 */
export function postgresLease({
  url,
  setting = 'DATABASE_URL',
  log,
  pollMs = 2_000,
  answerMs = 3_000,
}: PostgresLease): StateLease {
  const links = new Set<Link>()
  const closing = new AbortController()
  return {
    async acquire(signal, onLost) {
      const ending = AbortSignal.any([signal, closing.signal])
      const leaseLog = createLeaseLog(log)
      for (;;) {
        ending.throwIfAborted()
        const link = newLink(url, setting, { pollMs, answerMs })
        const stop = () => link.destroy()
        ending.addEventListener('abort', stop, { once: true })
        try {
          await link.connect()
          for (let found = await tryLock(link); !found.isLocked; found = await tryLock(link)) {
            // The session would stay so, whatever the server becomes.
            if (!found.isWritable) throw new Error('the database is read-only')
            leaseLog.onStandby()
            await pause(pollMs, ending)
          }
          const { holder, ...meta } = await prepareTables(link, setting, log)
          leaseLog.onReached()
          link.watch((reason) => {
            links.delete(link)
            onLost(reason)
          })
          links.add(link)
          leaseLog.onLeader()
          const database = postgresDatabase(link, holder, async () => {
            links.delete(link)
            await link.close()
          })
          return createStateStore(database, meta)
        } catch (error) {
          link.destroy()
          ending.throwIfAborted()
          const refusal = refusalOf(error, setting)
          if (refusal) throw refusal
          leaseLog.onAway(error)
        } finally {
          ending.removeEventListener('abort', stop)
        }
        await pause(pollMs, ending)
      }
    },
    async close() {
      closing.abort(new Error('closed'))
      await Promise.all([...links].map((link) => link.close()))
      links.clear()
    },
  }
}

function newLink(url: string, setting: UrlSetting, pace: Pace): Link {
  try {
    return createLink(url, pace)
  } catch (error) {
    // For example, the URL names a certificate file that is missing.
    throw new BadSetting(`${setting}: ${(error as Error).message}`)
  }
}

/** On a read-only server, other workers have the lock for the moment that they try to lead. */
async function tryLock(link: Link): Promise<{ readonly isLocked: boolean; readonly isWritable: boolean }> {
  const text = `SELECT pg_try_advisory_lock(${advisoryLocks.state}) AS "isLocked",
    current_setting('transaction_read_only') = 'off' AS "isWritable"`
  const [found] = await link.query<Awaited<ReturnType<typeof tryLock>>>({ text })
  return found ?? { isLocked: false, isWritable: false }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => signal.throwIfAborted())
}

/** Logs one line when something begins and one when it ends. Only messages, since an error may contain the URL. */
function createLeaseLog(log: Pick<Logger, 'info' | 'warn'>) {
  let isUnavailable = false
  let isStandingBy = false
  /** Not called on connecting: a server that is read-only or full accepts connections. */
  const onReached = () => {
    if (isUnavailable) log.info('the database is reachable again')
    isUnavailable = false
  }
  return {
    onAway(error: unknown) {
      if (!isUnavailable)
        log.warn({ err: rootMessage(error) }, 'the database is not reachable; the status worker waits for it')
      isUnavailable = true
    },
    onReached,
    onStandby() {
      onReached()
      if (!isStandingBy) log.info('another status worker is the leader; this one stands by')
      isStandingBy = true
    },
    onLeader() {
      if (isStandingBy) log.info('the other status worker is gone; this one is the leader now')
      isStandingBy = false
    },
  }
}

function rootMessage(error: unknown): string {
  const { cause } = error as Error
  return cause instanceof Error ? rootMessage(cause) : messageOf(error)
}
