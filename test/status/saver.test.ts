import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { next, type Rules, registered } from '../../src/status/component.ts'
import { createSaver } from '../../src/status/saver.ts'
import type { Changes } from '../../src/status/state-store.ts'

const rules: Rules = {
  publishes: false,
  page: '',
  publishesSilence: true,
  timeoutMs: () => 180_000,
  newId: () => 'an id',
}
const now = { wall: 1_000, monotonic: 0 }
const component = (id: string) => registered(id, 'operational', now, rules).component

/** A disk that is slow, and full when it is told to be. */
function stage() {
  const saved: Changes[] = []
  const failures: unknown[] = []
  const disk = { isFull: false, gate: Promise.resolve() }
  const save = async (changes: Changes) => {
    await disk.gate
    if (disk.isFull) throw new Error('full')
    saved.push(changes)
  }
  return { saved, failures, disk, saver: createSaver({ save }, (error) => failures.push(error)) }
}

const idsOf = ({ components }: Changes) => components.map(({ id }) => id)

describe('What is to be saved', () => {
  it('goes in one write with all that comes in the same turn, and what comes meanwhile in the next', async () => {
    const { saved, disk, saver } = stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    const first = [saver.save(component('a'), {}), saver.save(component('b'), {})]
    await new Promise((go) => setImmediate(go))
    const later = [saver.save(component('c'), {}), saver.save(component('d'), {})]
    resolve()
    await Promise.all([...first, ...later])
    assert.deepEqual(saved.map(idsOf), [
      ['a', 'b'],
      ['c', 'd'],
    ])
    saver.stop()
  })

  it('is kept while the disk is full, told of once, and saved as it is last when there is room', async () => {
    const { saved, failures, disk, saver } = stage()
    disk.isFull = true
    const transition = { at: 1, from: null, to: 'operational', cause: 'heartbeat' } as const
    await assert.rejects(saver.save(component('a'), { moved: [{ componentId: 'a', transition }] }), /full/)
    const changed = next(component('a'), { kind: 'heartbeat', status: 'outage' }, now, rules).component
    await assert.rejects(saver.save(changed, {}), /full/)
    assert.deepEqual([saver.isBroken, failures.length, saved], [true, 1, []])
    disk.isFull = false
    await saver.flush()
    assert.equal(saver.isBroken, false)
    assert.deepEqual(saved, [
      { components: [changed], opened: [], resolved: [], moved: [{ componentId: 'a', transition }] },
    ])
    await saver.flush()
    assert.equal(saved.length, 1, 'nothing is written where nothing has come to be')
    saver.stop()
  })
})
