import { randomInt } from 'node:crypto'
import { BadSetting } from '../../config/parser.ts'
import type { Clock } from '../../lib/clock.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { Ask, Standing, Subjects } from '../../limits/counters.ts'
import type { Scope } from '../../limits/scopes.ts'
import { loadRedis } from './redis.ts'
import { hitRun, keyOf, readHit, resetsKey } from './script.ts'

type Look = Ask & { readonly act: 'look' }

const keepMs = 86_400_000

/** The shared counters as an operator sees them. */
export interface LimitStore {
  show(asks: readonly Look[], subjects: Subjects): Promise<readonly Standing[]>
  /** How many of them there were. Instances forget what they counted for themselves with their next request. */
  reset(scopes: readonly Scope[], subject: string): Promise<number>
  close(): Promise<void>
}

const timeoutMs = 2_000

/** Throws BadSetting where Redis does not answer, now or later, or refuses. */
export async function openLimitStore(url: string, clock: Clock): Promise<LimitStore> {
  const redis = await loadRedis(url, timeoutMs)
  const connection = redis.connection(() => {})

  const asking = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await withTimeout(act(), timeoutMs)
    } catch (error) {
      connection.destroy()
      throw new BadSetting(`REDIS_URL: ${redis.reason(error).message}; check that Redis runs there and answers`)
    }
  }

  await asking(async () => {
    await connection.connect()
    await connection.send('PING')
  })

  return {
    show: (asks, subjects) =>
      asking(async () => {
        const sentAt = clock.monotonic()
        return readHit(await connection.run(hitRun(asks, subjects, '')), sentAt).standings
      }),
    reset: (scopes, subject) =>
      asking(async () => {
        const deleted = await connection.send('DEL', ...scopes.map((scope) => keyOf(scope, subject)))
        // Another one each time, also where Redis has forgotten the last; kept longer than anybody needs to see it.
        await connection.send('SET', resetsKey, String(randomInt(1, 2 ** 31)), 'PX', String(keepMs))
        return Number(deleted)
      }),
    close: () => withTimeout(connection.close(), timeoutMs).catch(() => connection.destroy()),
  }
}
