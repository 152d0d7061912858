import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CachedEntries, newBudget } from '../../../src/drivers/catalogue/cached-entries.ts'

/** Entries whose etag says how often they were read. */
function reader() {
  const asked: (readonly number[])[] = []
  const gone = new Set<number>()
  const read = (ordinals: readonly number[]) => {
    asked.push(ordinals)
    const found = ordinals.filter((ordinal) => !gone.has(ordinal))
    return found.map((ordinal) => ({ filename: `${ordinal}.png`, etag: `read ${asked.length}`, size: 1, modified: 0 }))
  }
  return { asked, gone, read }
}

const names = (entries: readonly { readonly filename: string }[]) => entries.map(({ filename }) => filename)

describe('Cached entries', () => {
  it('are read once, and returned in the order asked for', () => {
    const { asked, read } = reader()
    const cached = new CachedEntries(newBudget(), read)
    assert.deepEqual(names(cached.at([2, 0, 2], 3, 1)), ['2.png', '0.png', '2.png'])
    assert.deepEqual(names(cached.at([1, 2, 0], 3, 1)), ['1.png', '2.png', '0.png'])
    assert.deepEqual(names(cached.at([0, 1, 2], 3, 1)), ['0.png', '1.png', '2.png'])
    assert.deepEqual(asked, [[2, 0, 2], [1]])
  })

  it('are read again after a discard, a change by another process, or a change of their number', () => {
    const { asked, read } = reader()
    const cached = new CachedEntries(newBudget(), read)
    const ask = (count: number, version: number) => cached.at([1], count, version)[0]?.etag
    assert.deepEqual([ask(3, 1), ask(3, 1)], ['read 1', 'read 1'])
    cached.discard()
    assert.deepEqual([ask(3, 1), ask(3, 2), ask(2, 2), ask(2, 2)], ['read 2', 'read 3', 'read 4', 'read 4'])
    assert.equal(asked.length, 4)
  })

  it('leave out what another process has just removed, and cache nothing in its place', () => {
    const { gone, read } = reader()
    const cached = new CachedEntries(newBudget(), read)
    gone.add(1)
    assert.deepEqual(names(cached.at([0, 1, 2], 3, 1)), ['0.png', '2.png'])
    gone.clear()
    assert.deepEqual(names(cached.at([0, 1, 2], 3, 1)), ['0.png', '1.png', '2.png'])
  })

  it('stay within one budget: a kind that does not fit is read each time', () => {
    const budget = newBudget()
    const { asked, read } = reader()
    const [large, small] = [new CachedEntries(budget, read), new CachedEntries(budget, read)]
    const most = budget.entries
    large.at([7], most - 1, 1)
    assert.equal(budget.entries, 1)
    small.at([0], 2, 1)
    small.at([0], 2, 1)
    assert.equal(asked.length, 3)
    large.discard()
    small.at([0], 2, 1)
    small.at([0], 2, 1)
    assert.deepEqual([asked.length, budget.entries], [4, most - 2])
  })
})
