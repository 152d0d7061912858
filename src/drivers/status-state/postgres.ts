import { setTimeout as sleep } from 'node:timers/promises'
import { BadSetting } from '../../config/parser.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Logger } from '../../process/logger.ts'
import type { StateKeeper } from '../../status/state-store.ts'
import { createLink, type Link, type Pace } from './postgres-link.ts'
import { prepareTables, refusalOf, type UrlSetting } from './postgres-schema.ts'
import { createPostgresStore } from './postgres-store.ts'

export interface PostgresKeeper extends Partial<Pace> {
  readonly url: string
  /** What messages call the URL. */
  readonly setting?: UrlSetting
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Any number: it only has to be the same in every status worker, and in nothing else. */
export const stateLock = 6_177_105

/**
 * The state in a database that several workers know. One has it, by a lock that belongs to its connection; the others
 * wait. It holds no longer than `pollMs + answerMs` without a word from its holder, and is asked for every `pollMs`.
 */
export function postgresKeeper(place: PostgresKeeper): StateKeeper {
  const { url, setting = 'DATABASE_URL', log, pollMs = 2_000, answerMs = 3_000 } = place
  const links = new Set<Link>()
  const closing = new AbortController()
  return {
    async acquire(signal, onLost) {
      const ending = AbortSignal.any([signal, closing.signal])
      const said = createSayings(log)
      for (;;) {
        ending.throwIfAborted()
        const link = newLink(url, setting, { pollMs, answerMs })
        const stop = () => link.destroy()
        ending.addEventListener('abort', stop, { once: true })
        try {
          await link.connect()
          said.isThere()
          for (; !(await isOurs(link)); await pause(pollMs, ending)) said.isWaiting()
          const meta = await prepareTables(link, setting)
          link.watch((reason) => {
            links.delete(link)
            onLost(reason)
          })
          links.add(link)
          said.isOurs()
          return createPostgresStore(link, meta, async () => {
            links.delete(link)
            await link.close()
          })
        } catch (error) {
          link.destroy()
          ending.throwIfAborted()
          const refusal = refusalOf(error, setting)
          if (refusal) throw refusal
          said.isAway(error)
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
    // A certificate that the URL names, and that is not there.
    throw new BadSetting(`${setting}: ${(error as Error).message}`)
  }
}

async function isOurs(link: Link): Promise<boolean> {
  const text = `SELECT pg_try_advisory_lock(${stateLock}) AS "isOurs"`
  return (await link.query<{ isOurs: boolean }>({ text }))[0]?.isOurs === true
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => signal.throwIfAborted())
}

/** One line when something begins, and one when it is over. The message alone: an error may carry the URL. */
function createSayings(log: Pick<Logger, 'info' | 'warn'>) {
  let saysAway = false
  let saysWaiting = false
  return {
    isAway(error: unknown) {
      if (!saysAway) log.warn({ err: rootMessage(error) }, 'the database is away: the status worker waits for it')
      saysAway = true
    },
    isThere() {
      if (saysAway) log.info('the database is back')
      saysAway = false
    },
    isWaiting() {
      if (!saysWaiting) log.info('another status worker has the state: this one waits until it is gone')
      saysWaiting = true
    },
    isOurs() {
      if (saysWaiting) log.info('the other status worker is gone: this one has the state now')
      saysWaiting = false
    },
  }
}

function rootMessage(error: unknown): string {
  const { cause } = error as Error
  return cause instanceof Error ? rootMessage(cause) : messageOf(error)
}
