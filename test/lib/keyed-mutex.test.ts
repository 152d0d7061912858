import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createKeyedMutex } from '../../src/lib/keyed-mutex.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('A keyed mutex', () => {
  it('runs one at a time for each key in order of arrival, even after a failure', async () => {
    const mutex = createKeyedMutex()
    const begun: string[] = []
    const held = ['a1', 'a2', 'b1'].map((name) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const end = mutex.run(name.charAt(0), () => {
        begun.push(name)
        return promise
      })
      return { end, resolve, reject }
    })
    assert.deepEqual(begun, ['a1', 'b1'])
    assert.deepEqual([mutex.isLocked('a'), mutex.isLocked('c'), mutex.size], [true, false, 2])
    const all = mutex.settled()
    held[0]?.reject(new Error('broken'))
    await assert.rejects(held[0]?.end as Promise<string>, /^Error: broken$/)
    await settled()
    assert.deepEqual(begun, ['a1', 'b1', 'a2'])
    for (const { resolve } of held) resolve('done')
    await all
    assert.deepEqual([await held[1]?.end, await held[2]?.end, mutex.size], ['done', 'done', 0])
  })
})
