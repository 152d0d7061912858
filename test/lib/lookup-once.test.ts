import assert from 'node:assert/strict'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { describe, it } from 'node:test'
import { lookupOnce } from '../../src/lib/lookup-once.ts'

describe('A name that many connections ask for', () => {
  it('is resolved once at a time for each kind of answer, and again afterwards', (t) => {
    const queries: (() => void)[] = []
    const answers: unknown[] = []
    const lookup = t.mock.method(
      dns,
      'lookup',
      (_name: string, _options: object, answer: (...all: unknown[]) => void) =>
        queries.push(() => answer(null, '127.0.0.1', 4)),
    )
    syncBuiltinESMExports()
    try {
      const ask = (name: string, all = false) => lookupOnce(name, { all }, (...answer) => answers.push(answer))
      for (let index = 0; index < 20; index++) ask('one.test')
      ask('other.test')
      ask('one.test', true)
      assert.equal(queries.length, 3)
      queries[0]?.()
      assert.deepEqual(answers, Array(20).fill([null, '127.0.0.1', 4]))
      ask('one.test')
      assert.equal(queries.length, 4)
    } finally {
      lookup.mock.restore()
      syncBuiltinESMExports()
    }
  })
})
