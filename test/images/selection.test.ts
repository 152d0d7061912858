import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filterOf } from '../../src/images/filter.ts'
import { whenCompiled } from '../../src/images/selection.ts'
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
    await assert.rejects(choice, Unavailable)
    assert.equal(compiled, 22)
  })
})
