import { BadSetting } from '../../config/parser.ts'
import type { Clock } from '../../lib/clock.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { CounterOp, Subjects } from '../../limits/counters.ts'
import type { Scope } from '../../limits/scopes.ts'
import { loadRedis } from './redis.ts'
import { hitRun, keyOf, newResets, readHit, resetsKeptMs, resetsKey } from './script.ts'

const timeoutMs = 2_000

/** The shared counters, for the command line tool. Throws BadSetting whenever Redis refuses or does not respond. */
export async function openLimitStore(url: string, clock: Clock) {
  const redis = await loadRedis(url, timeoutMs)
  const connection = redis.connection(() => {})

  const asking = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await withTimeout(act(), timeoutMs)
    } catch (error) {
      connection.destroy()
      const advice = redis.isReply(error) ? '' : '; check that Redis is running there'
      throw new BadSetting(`REDIS_URL: ${redis.reason(error).message}${advice}`)
    }
  }

  await asking(async () => {
    await connection.connect()
    await connection.send('PING')
  })

  return {
    show: (ops: readonly (CounterOp & { readonly act: 'peek' })[], subjects: Subjects) =>
      asking(async () => {
        const sentAt = clock.monotonic()
        return readHit(await connection.run(hitRun(ops, subjects, '')), sentAt).states
      }),
    /** Returns how many counters existed. Instances clear their local counters at their next request. */
    reset: (scopes: readonly Scope[], subject: string) =>
      asking(async () => {
        const deleted = await connection.send('DEL', ...scopes.map((scope) => keyOf(scope, subject)))
        await connection.send('SET', resetsKey, newResets(), 'PX', String(resetsKeptMs))
        return Number(deleted)
      }),
    close: () => withTimeout(connection.close(), timeoutMs).catch(() => connection.destroy()),
  }
}

export type LimitStore = Awaited<ReturnType<typeof openLimitStore>>
