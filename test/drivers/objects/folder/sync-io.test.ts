import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createSyncIo } from '../../../../src/drivers/objects/folder/sync-io.ts'
import { fakeClock } from '../../../support/clock.ts'
import { folderStage } from './folder-stage.ts'

describe('Synchronous I/O', () => {
  it('is allowed until calls of more than a millisecond exceed 10 ms, then not for a hundred times the excess', () => {
    const clock = fakeClock()
    const syncIo = createSyncIo(clock)
    const act = (ms: number) => syncIo.timed(() => clock.advance(ms))
    for (let call = 0; call < 100; call++) act(1)
    act(10)
    assert.equal(syncIo.isAllowed(), true)
    act(20)
    clock.advance(1_979)
    assert.equal(syncIo.isAllowed(), false)
    clock.advance(1)
    assert.equal(syncIo.isAllowed(), true)
  })

  it('is timed even if it fails', () => {
    const clock = fakeClock()
    const syncIo = createSyncIo(clock)
    const fail = () => {
      clock.advance(11)
      throw new Error('the disk')
    }
    assert.throws(() => syncIo.timed(fail), /the disk/)
    assert.equal(syncIo.isAllowed(), false)
  })
})

describe('A folder on a slow disk', () => {
  let passed = 0
  const clock = { now: () => 0, monotonic: () => (passed += 5) }
  const on = folderStage(clock)

  it('is still read, without blocking others', async () => {
    const small = randomBytes(100_000)
    const large = randomBytes(3_000_000)
    await on.put('fox/a.png', small)
    await on.put('fox/b.png', large)
    const readNow = () => on.store.readNow(on.at('fox/a.png'), small.length)
    assert.ok((await on.bytesOf('fox/a.png'))?.equals(small))
    readNow()
    assert.equal(readNow(), null)
    assert.ok((await on.bytesOf('fox/b.png'))?.equals(large))
    await on.isNoObject('fox/c.png')
    passed += 1_000_000
    assert.ok(readNow()?.bytes.equals(small), 'tried again after a while')
    while (readNow() !== null) assert.ok(passed < 2_000_000, 'given up again')
  })
})
