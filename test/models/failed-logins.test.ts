import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryCounters } from '../../src/drivers/counters/memory.ts'
import type { LinkUses } from '../../src/drivers/counters/redis-link.ts'
import type { Run } from '../../src/drivers/counters/script.ts'
import { openSharedCounters } from '../../src/drivers/counters/shared.ts'
import { nobody } from '../../src/limits/counters.ts'
import { isRefused } from '../../src/limits/decide.ts'
import type { Scope } from '../../src/limits/scopes.ts'
import { exploreSchedules, type Scheduler, type Step, Violated, type World } from './explore.ts'
import { createFailuresInRedis } from './failures-in-redis.ts'

/*
 * Guesses at one password through two instances that share their counters over Redis, which may go away with what is
 * under way and come back, with its data or without. Each script that Redis runs and each password that is compared is a step.
 */

const timeout = 120_000
const clock = { now: () => 0, monotonic: () => 0 }
const log = { info() {}, warn() {} }

interface Setup {
  readonly max: number
  /** For each attempt, its instance and whether it has the password. */
  readonly attempts: readonly (readonly ['a' | 'b', 'right' | 'wrong'])[]
  readonly outage?: 'keeps its data' | 'comes back empty'
  /** Of what is under way when Redis goes. */
  readonly lost?: 'request' | 'reply'
  /** The instances compare first and count after that. */
  readonly countsLate?: boolean
}

function createWorld(
  { task }: Scheduler,
  { max, attempts, outage, lost = 'request', countsLate = false }: Setup,
): World {
  const scope: Scope = { name: 'login_name', by: 'name', counts: 'failures', max, windowMs: 900_000, slow: null }
  const redis = createFailuresInRedis()
  let isUp = true
  let guesses = 0
  const whenUp: (() => void)[] = []
  const memories = { a: createMemoryCounters({ clock, max: 16 }), b: createMemoryCounters({ clock, max: 16 }) }

  const connectionOf = (step: Step) => {
    let asked = 0
    let done = 0
    let isLinked = true
    return {
      get isLinked() {
        return isLinked
      },
      link() {
        isLinked = true
      },
      /** One after another, as on a connection. */
      run(run: Run): Promise<unknown> {
        if (!isLinked) return Promise.reject(new Error('Redis is unavailable'))
        const number = asked++
        const act = () => {
          done += 1
          if (!isUp) isLinked = false
          const reply = isUp || lost === 'reply' ? redis.run(run) : null
          if (!isUp) throw new Error('the connection is lost')
          return reply
        }
        return step(run.args.includes('reserve') ? 'reserve' : 'settle', act, () => number === done)
      },
    }
  }
  const open = (step: Step, name: 'a' | 'b') => {
    const connection = connectionOf(step)
    const openLink = async ({ prove, onUp }: LinkUses) => {
      const accept = await prove({ run: async (run) => redis.run(run) })
      accept()
      whenUp.push(() => {
        connection.link()
        onUp()
      })
      return {
        get isUp() {
          return connection.isLinked
        },
        health: 'up' as const,
        run: connection.run,
        check: async () => {},
        close: async () => {},
      }
    }
    return openSharedCounters({ url: '', clock, log, memory: memories[name], openLink })
  }

  for (const name of ['a', 'b'] as const) {
    const opened = Promise.withResolvers<Awaited<ReturnType<typeof openSharedCounters>>>()
    task(`connection of ${name}`, async (step) => opened.resolve(await open(step, name)))
    for (const [number, [instance, password]] of attempts.entries())
      if (instance === name)
        task(`attempt ${number} at ${name}`, async (step) => {
          const counters = await opened.promise
          const id = `${number}`
          const act = countsLate ? 'peek' : 'reserve'
          const [state] = await counters.hit([{ scope, act }], { ...nobody, name: 'alice' }, id)
          if (state === undefined || (countsLate ? isRefused(scope, 'reserve', state) : !state.reserved)) return
          await step(`compare the ${password} password`, () => {
            if (password === 'wrong') guesses += 1
          })
          counters.settle({ scope, subject: 'alice', id }, password === 'wrong')
        })
  }
  if (outage)
    task('Redis', async (step) => {
      await step('go away', () => {
        isUp = false
      })
      await step('come back', () => {
        isUp = true
        if (outage === 'comes back empty') redis.clear()
        for (const act of whenUp) act()
      })
    })

  const localOf = (name: 'a' | 'b') => memories[name].hit([{ scope, act: 'peek' }], { ...nobody, name: 'alice' }, '')[0]
  return {
    state: () => [redis.state(), isUp, guesses, localOf('a'), localOf('b')],
    check() {
      const most = outage ? 2 * max : max
      if (guesses > most) throw new Error(`${guesses} guesses, at most ${most} are allowed`)
    },
    end() {
      if (isUp && redis.pending('alice') > 0) throw new Error('a reservation is left in Redis')
      for (const name of ['a', 'b'] as const)
        if (localOf(name)?.pending !== 0) throw new Error(`a reservation is left at ${name}`)
    },
    close() {
      for (const memory of Object.values(memories)) void memory.close()
    },
  }
}

const search = (setup: Setup) => exploreSchedules((scheduler) => createWorld(scheduler, setup))
const wrong = [
  ['a', 'wrong'],
  ['a', 'wrong'],
  ['b', 'wrong'],
  ['b', 'wrong'],
] as const

describe('The limit of failed logins over two instances', { timeout }, () => {
  it('lets no more wrong passwords be compared than it says, and keeps no reservation, in any order', async (t) => {
    t.diagnostic(`${await search({ max: 2, attempts: wrong })} states`)
  })

  it('is not used up by the right password', async (t) => {
    const attempts = [
      ['a', 'right'],
      ['b', 'right'],
      ['a', 'wrong'],
      ['b', 'wrong'],
    ] as const
    t.diagnostic(`${await search({ max: 2, attempts })} states`)
  })

  for (const outage of ['keeps its data', 'comes back empty'] as const)
    for (const lost of ['request', 'reply'] as const)
      it(`is at most that of each instance if Redis goes away with each ${lost} under way and ${outage}`, async (t) => {
        t.diagnostic(`${await search({ max: 1, attempts: wrong.slice(0, 3), outage, lost })} states`)
      })

  it('is exceeded if an attempt is counted only after its password was compared', async () => {
    await assert.rejects(search({ max: 2, attempts: wrong, countsLate: true }), Violated)
  })
})
