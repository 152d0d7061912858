import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { filterOf } from '../../src/images/filter.ts'
import { isCompiled, whenCompiled } from '../../src/images/selection.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'

describe('A choice with a filter', () => {
  it('is refused rather than delayed forever if its lists are gone whenever they have been compiled', async () => {
    let compiled = 0
    const hashes = async () => {
      compiled++
      return null
    }
    const selection = { of: ['fox', 'bird'], filter: filterOf({ minWidth: 1 }) }
    const choice = async () => whenCompiled({ hashes } as never, selection, () => 'chosen')
    await assert.rejects(
      choice,
      (error: Error) => error instanceof Unavailable && /lists of what matches/.test(error.message),
    )
    assert.equal(compiled, 22)
  })

  const filter = filterOf({ minWidth: 1 })
  const of = ['fox', 'bird'] as const

  it('is made at once if its lists are compiled, and without a filter whatever they are', () => {
    const compiled = { hashes: () => 'a list' } as never
    assert.equal(isCompiled(compiled, { of, filter }), true)
    assert.equal(
      whenCompiled(compiled, { of, filter }, () => 'chosen'),
      'chosen',
    )
    const waiting = { hashes: () => Promise.resolve() } as never
    assert.equal(isCompiled(waiting, { of, filter: null }), true)
    assert.equal(
      whenCompiled(waiting, { of, filter: null }, () => 'chosen'),
      'chosen',
    )
    assert.equal(isCompiled(waiting, { of, filter }), false)
    assert.equal(isCompiled(waiting, { of: [], filter }), true)
  })

  it('waits for the lists of all its kinds', async () => {
    const lists = new Map<string, unknown>()
    const asked: unknown[] = []
    const compiling = { fox: Promise.withResolvers<void>(), bird: Promise.withResolvers<void>() }
    const hashes = (kind: 'fox' | 'bird', its: unknown) => {
      asked.push([kind, its])
      return lists.get(kind) ?? compiling[kind].promise
    }
    let isChosen = false
    const chosen = whenCompiled({ hashes } as never, { of: [...of], filter }, () => {
      isChosen = true
      return 'chosen'
    })
    assert.deepEqual(asked, [
      ['fox', filter],
      ['bird', filter],
    ])
    for (const kind of of) {
      await setImmediate()
      assert.equal(isChosen, false)
      lists.set(kind, 'a list')
      compiling[kind].resolve()
    }
    assert.equal(await Promise.race([chosen, setImmediate('waiting')]), 'chosen')
  })

  it('is refused if a list takes longer than 5 s', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const never = { hashes: () => new Promise(() => {}) } as never
    const choice = Promise.resolve(whenCompiled(never, { of, filter }, () => 'chosen'))
    const outcome = choice.catch((error: unknown) => error)
    t.mock.timers.tick(4_999)
    assert.equal(await Promise.race([outcome, setImmediate('waiting')]), 'waiting')
    t.mock.timers.tick(1)
    const error = await Promise.race([outcome, setImmediate('waiting')])
    assert.ok(error instanceof Unavailable)
    assert.match(error.message, /the names of images/)
  })
})
