import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { turns } from '../support/until.ts'
import { openWorker } from './worker-stage.ts'

const [hour, day] = [3_600_000, 86_400_000]

describe('History of the status worker', () => {
  it('is deleted after 90 days, and not because the clock is a year ahead for an hour', {
    timeout: 60_000,
  }, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const fake = fakeClock()
    const wall = { ahead: 0 }
    const worker = await openWorker({ overrides: { clock: { ...fake, now: () => fake.now() + wall.ahead } } })
    t.after(() => worker.close())
    const pass = (hours: number) => {
      for (let passed = 0; passed < hours; passed++) {
        fake.advance(hour)
        t.mock.timers.tick(hour)
      }
    }
    const isKept = async () => {
      // Lets the client notice that idle connections were closed meanwhile.
      await turns()
      const { transitions } = (await worker.ask('GET', '/history/a?limit=500')).body
      return transitions.some(({ to }: { to: string }) => to === 'partial')
    }
    await worker.beat('a', 'partial')
    await worker.beat('a', 'operational')
    pass(8)
    wall.ahead = 365 * day
    pass(1)
    wall.ahead = 0
    pass(1)
    assert.equal(await isKept(), true)
    fake.advance(90 * day - 12 * hour)
    pass(1)
    assert.equal(await isKept(), true)
    pass(7)
    assert.equal(await isKept(), false)
  })
})
