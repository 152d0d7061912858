import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { loadRedis } from '../../src/drivers/counters/redis.ts'
import { hitRun, type Settlement, settleRun } from '../../src/drivers/counters/script.ts'
import { nobody } from '../../src/limits/counters.ts'
import type { Scope } from '../../src/limits/scopes.ts'
import { redisSkip, redisUrl } from '../support/redis.ts'
import { assertProperty } from '../support/seed.ts'
import { createFailuresInRedis } from './failures-in-redis.ts'

const timeout = 60_000
const scope: Scope = { name: 'login_name', by: 'name', counts: 'failures', max: 2, windowMs: 900_000, slow: null }

const steps = fc.record({
  act: fc.constantFrom<'reserve' | 'peek' | Settlement>('reserve', 'peek', 'succeeded', 'failed', 'failed-if-known'),
  /** Which of the reservations before it is settled. */
  of: fc.nat(3),
})

/** Without the number of resets, which other tests change, and the time that is left of the window. */
const shown = (reply: unknown) => (Array.isArray(reply) ? [reply[1], reply[2], reply[4]] : reply)

describe('Failures in Redis', { timeout, skip: redisSkip }, () => {
  it('are counted by its scripts as by the model of them', async () => {
    const redis = (await loadRedis(redisUrl ?? '', 1_000)).connection(() => {})
    await redis.connect()
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (walk) => {
      const model = createFailuresInRedis()
      const subject = randomUUID()
      for (const [index, { act, of }] of walk.entries()) {
        // Each reservation has an id of its own.
        const id = String(act === 'reserve' ? index : Math.max(0, index - 1 - of))
        const run =
          act === 'reserve' || act === 'peek'
            ? hitRun([{ scope, act }], { ...nobody, name: subject }, id)
            : settleRun({ scope, subject, id }, act)
        assert.deepEqual(shown(model.run(run)), shown(await redis.run(run)), `${act} ${id}`)
      }
    })
    try {
      await assertProperty(property, { numRuns: 500 })
    } finally {
      redis.destroy()
    }
  })
})
