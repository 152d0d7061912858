import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withTimeout } from '../../src/lib/timeout.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('withTimeout', () => {
  it('settles with the work, and leaves no timer', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    assert.equal(await withTimeout(Promise.resolve(1), 1_000_000), 1)
    await assert.rejects(withTimeout(Promise.reject(new Error('broken')), 1_000_000), /^Error: broken$/)
    assert.equal(timers(), before)
  })

  it('rejects nothing unhandled if its timer fires although the work has settled', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { clearTimeout } = globalThis
    // What clears a timer of another kind does nothing: so it is for a real timer while a test mocks the timers.
    globalThis.clearTimeout = () => {}
    t.after(() => {
      globalThis.clearTimeout = clearTimeout
    })
    assert.equal(await withTimeout(Promise.resolve(1), 5_000), 1)
    t.mock.timers.tick(5_000)
    await settled()
  })

  it('settles with onTimeout after the timeout, by default with an error, and ignores the late result of the work', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { promise, reject } = Promise.withResolvers<never>()
    const ends = [
      withTimeout(promise, 5_000, () => null),
      withTimeout(promise, 5_000, async () => 'later'),
      withTimeout(promise, 5_000),
      withTimeout(promise, 5_000, () => {
        throw new Error('late')
      }),
    ].map((end) => end.catch(String))
    let done = 0
    for (const end of ends) void end.then(() => done++)
    t.mock.timers.tick(4_999)
    await settled()
    assert.equal(done, 0)
    t.mock.timers.tick(1)
    assert.deepEqual(await Promise.all(ends), [null, 'later', 'Error: no response within 5000 ms', 'Error: late'])
    reject(new Error('too late to matter'))
    await settled()
  })
})
