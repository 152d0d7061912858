import { readConfig } from '../../../src/config/config.ts'
import { rateLimitsOf } from '../../../src/config/rate-limits.ts'
import { createMemoryCounters } from '../../../src/drivers/counters/memory.ts'
import { createScopes } from '../../../src/limits/scopes.ts'
import { fakeClock } from '../../support/clock.ts'
import { atLeast } from '../../support/until.ts'

/*
 * Run with --expose-gc --max-semi-space-size=1, as a process of its own: counts a million keys, and prints by how much
 * its memory grew.
 */

const clock = fakeClock()
const counters = createMemoryCounters({ clock })
const { global } = createScopes(rateLimitsOf(readConfig({})))
const count = (address: string) =>
  counters.hit([{ scope: global, act: 'count' }], { address, name: '', user: '', link: '', session: '' }, '')[0]?.count
/** The least of several readings: V8 returns pages that it has emptied in the background. */
async function residentBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let reading = 0; reading < 10; reading++) {
    globalThis.gc?.()
    await atLeast(10)
    least = Math.min(least, process.memoryUsage.rss())
  }
  return least
}

// What V8 keeps for compiled code and for garbage does not belong to the keys.
for (let index = 0; index < 1_000_000; index++) count(`warm.${index % 100}`)
const before = await residentBytes()
for (let index = 0; index < 999_900; index++) count(`10.${index}`)
const grownBytes = (await residentBytes()) - before
const held = counters.size
const again = [0, 1, 500_000, 999_899].map((index) => count(`10.${index}`))
clock.advance(120_000)
for (let second = 0; second < 100; second++) counters.sweep()
const afterExpiry = counters.size
process.stdout.write(JSON.stringify({ grownBytes, held, again, afterExpiry, anew: count('10.1') }))
