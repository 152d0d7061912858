import { readConfig } from '../../../src/config/config.ts'
import { rateLimitsOf } from '../../../src/config/rate-limits.ts'
import { createMemoryCounters } from '../../../src/drivers/counters/memory.ts'
import { createScopes } from '../../../src/limits/scopes.ts'
import { fakeClock } from '../../support/clock.ts'

/* Run with --expose-gc, as a process of its own: counts a million keys, and prints by how much its memory grew. */

const clock = fakeClock()
const counters = createMemoryCounters({ clock })
const { global } = createScopes(rateLimitsOf(readConfig({})))
const count = (address: string) =>
  counters.hit([{ scope: global, act: 'count' }], { address, name: '', user: '', link: '', session: '' }, '')[0]?.count
const residentBytes = () => {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

// Compiled code and V8's young generation do not belong to the keys.
for (let index = 0; index < 100_000; index++) count('warm')
const before = residentBytes()
for (let index = 0; index < 999_999; index++) count(`10.${index}`)
const grownBytes = residentBytes() - before
const held = counters.size
const again = [0, 1, 500_000, 999_998].map((index) => count(`10.${index}`))
clock.advance(120_000)
for (let second = 0; second < 100; second++) counters.sweep()
const afterExpiry = counters.size
process.stdout.write(JSON.stringify({ grownBytes, held, again, afterExpiry, anew: count('10.1') }))
