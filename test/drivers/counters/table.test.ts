import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { readConfig } from '../../../src/config/config.ts'
import { rateLimitsOf } from '../../../src/config/rate-limits.ts'
import { createMemoryCounters } from '../../../src/drivers/counters/memory.ts'
import { Table } from '../../../src/drivers/counters/table.ts'
import type { CounterOp } from '../../../src/limits/counters.ts'
import { createScopes } from '../../../src/limits/scopes.ts'
import { fakeClock } from '../../support/clock.ts'
import { assertProperty } from '../../support/seed.ts'

const scopes = createScopes(rateLimitsOf(readConfig({})))
const global: CounterOp[] = [{ scope: scopes.global, act: 'count' }]
const auth: CounterOp[] = [{ scope: scopes.auth, act: 'count' }]

function stage(max?: number) {
  const clock = fakeClock()
  const counters = createMemoryCounters({ clock, ...(max !== undefined && { max }) })
  const count = (address: string, asks = global) =>
    counters.hit(asks, { address, name: '', user: '', link: '', session: '' }, '')[0]?.count
  return { clock, counters, count }
}

describe('The table of counters', () => {
  it('behaves like a map while it has room', () => {
    const step = fc.record({
      act: fc.constantFrom('hit', 'remove', 'restart', 'expire', 'shrink'),
      list: fc.nat(2),
      key: fc.nat(40).map((key) => `key ${key}`),
      passed: fc.nat(3),
    })
    assertProperty(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const table = new Table(128)
        const model = new Map<string, { count: number; endsAt: number }>()
        let now = 0
        for (const { act, list, key, passed } of steps) {
          now += passed
          const name = `${list} ${key}`
          const slot = table.find(list, key)
          assert.equal(slot !== 0, model.has(name))
          const known = model.get(name)
          if (known) assert.deepEqual([table.count(slot), table.endsAt(slot)], [known.count, known.endsAt])
          if (act === 'hit') {
            const found = slot || table.insert(list, now, now + 30)
            table.setCount(found, table.count(found) + 1)
            model.set(name, { count: (known?.count ?? 0) + 1, endsAt: known?.endsAt ?? now + 30 })
          } else if (act === 'remove' && slot !== 0) {
            table.remove(slot)
            model.delete(name)
          } else if (act === 'restart' && slot !== 0) {
            table.restart(slot, now + 30)
            model.set(name, { count: 0, endsAt: now + 30 })
          } else if (act === 'expire') {
            table.expire(now, 1_000)
            for (const [name, { endsAt }] of model) if (endsAt <= now) model.delete(name)
          } else if (act === 'shrink') table.shrink()
          assert.equal(table.size, model.size)
        }
      }),
    )
  })

  it('keeps every count while there is room, whichever windows have ended', () => {
    const { clock, counters, count } = stage(1_000)
    for (let index = 0; index < 500; index++) count(`a${index}`, auth)
    for (let index = 0; index < 500; index++) count(`g${index}`)
    clock.advance(120_000)
    // The global windows have ended: each makes room for one, so no other has to.
    for (let index = 0; index < 500; index++) count(`n${index}`)
    assert.equal(counters.size, 1_000)
    for (let index = 0; index < 500; index++) assert.equal(count(`a${index}`, auth), 2)
  })

  it('evicts the least used when full: a flood of new keys does not displace those in use', () => {
    const { counters, count } = stage(1_000)
    const hot = Array.from({ length: 100 }, (_, index) => `hot${index}`)
    for (const address of [...hot, ...hot]) count(address)
    for (let flood = 0; flood < 20_000; flood++) {
      count(`cold${flood}`)
      if (flood % 5 === 0) count(hot[(flood / 5) % 100] as string)
    }
    assert.equal(counters.size, 1_000)
    for (const address of hot) assert.equal(count(address), 43)
  })

  it('holds a million keys in 64 MiB of resident memory, and drops them when they expire', async () => {
    const program = join(import.meta.dirname, 'million-keys.ts')
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--max-semi-space-size=1', program])
    const { grownBytes, ...counts } = JSON.parse(stdout)
    assert.deepEqual(counts, { held: 1_000_000, again: [2, 2, 2, 2], afterExpiry: 0, anew: 1 })
    assert.ok(grownBytes <= 64 * 1_048_576, `${grownBytes} bytes`)
  })
})
