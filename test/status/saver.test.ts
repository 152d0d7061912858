import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { next, type Rules, registered } from '../../src/status/component.ts'
import { createSaver, type Parts } from '../../src/status/saver.ts'
import type { Changes } from '../../src/status/state-store.ts'
import { until } from '../support/until.ts'

const rules: Rules = {
  targets: [],
  publishesSilence: true,
  startGraceMs: 0,
  timeouts: { timeoutMs: 180_000, maintenanceTimeoutMs: 14_400_000, configured: null },
  newId: () => 'an id',
}
const now = { wall: 1_000, monotonic: 0 }
const component = (id: string) => registered(id, { status: 'operational' }, now, rules).component
const alone = { opened: [], resolved: [], moved: [], ran: [], audited: [] } satisfies Parts
const turn = () => new Promise((go) => setImmediate(go))

/** A slow disk that is full on demand. */
function stage() {
  const saved: Changes[] = []
  const failures: unknown[] = []
  const disk = { isFull: false, isFullOnce: false, gate: Promise.resolve() }
  const save = async (changes: Changes) => {
    await disk.gate
    if (disk.isFull || disk.isFullOnce) {
      disk.isFullOnce = false
      throw new Error('full')
    }
    saved.push(changes)
  }
  const told: string[] = []
  const onFailure = (error: unknown) => {
    failures.push(error)
    told.push('failing')
  }
  const saver = createSaver({ store: { save }, onFailure, onRecovery: () => told.push('saving') })
  return { saved, failures, told, disk, saver }
}

const idsOf = ({ components }: Changes) => components.map(({ id }) => id)

describe('The saver', () => {
  it('writes the changes of one turn together, and those that arrive meanwhile in the next write', async () => {
    const { saved, disk, saver } = stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    const first = [saver.save(component('a'), alone), saver.save(component('b'), alone)]
    await turn()
    const later = [saver.save(component('c'), alone), saver.save(component('d'), alone)]
    resolve()
    await Promise.all([...first, ...later])
    assert.deepEqual(saved.map(idsOf), [
      ['a', 'b'],
      ['c', 'd'],
    ])
    saver.stop()
  })

  it('drops a failed change if its caller is told, keeps it if nobody waits, and reports the failure once', async () => {
    const { saved, failures, disk, saver } = stage()
    disk.isFull = true
    const transition = { at: 1, from: null, to: 'operational', cause: 'heartbeat', message: null } as const
    const moved = [{ componentId: 'a', transition }]
    saver.saveSoon(component('kept'))
    await assert.rejects(saver.save(component('a'), { ...alone, moved }), /full/)
    await assert.rejects(saver.flush(), /full/)
    assert.deepEqual([saver.isBroken, failures.length, saved], [true, 1, []])
    disk.isFull = false
    await saver.flush()
    assert.equal(saver.isBroken, false)
    assert.deepEqual(saved, [{ components: [component('kept')], ...alone }])
    await saver.flush()
    assert.equal(saved.length, 1, 'nothing is written where nothing has come to be')
    saver.stop()
  })

  it('keeps the newest component when an older write of it fails', async () => {
    const { saved, disk, saver } = stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    const changed = next(component('a'), { kind: 'heartbeat', status: 'outage' }, now, rules).component
    disk.gate = promise
    disk.isFull = true
    saver.saveSoon(component('a'))
    const failing = saver.flush()
    await turn()
    saver.saveSoon(changed)
    resolve()
    await assert.rejects(failing, /full/)
    disk.isFull = false
    await saver.flush()
    assert.deepEqual(saved, [{ components: [changed], ...alone }])
    saver.stop()
  })

  it('does not write a forgotten component', async () => {
    const { saved, saver } = stage()
    saver.saveSoon(component('a'))
    saver.forget('a')
    await saver.flush()
    assert.deepEqual(saved, [])
    saver.stop()
  })

  it('settles each change with the outcome of its own write', async () => {
    const { saved, disk, saver } = stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    disk.isFullOnce = true
    const together = [saver.save(component('a'), alone), saver.save(component('b'), alone)]
    await turn()
    const meanwhile = saver.save(component('c'), alone)
    resolve()
    const outcomes = await Promise.allSettled([...together, meanwhile])
    // The last one waited for a failed write and fails with it.
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    await saver.flush()
    assert.deepEqual(saved, [])
    saver.stop()
  })

  it('keeps what was written when the next write fails', async () => {
    const { saved, disk, saver } = stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    const together = [saver.save(component('a'), alone), saver.save(component('b'), alone)]
    await turn()
    const next = saver.save(component('c'), alone)
    const nextFails = Promise.all(together).then(() => {
      disk.isFull = true
    })
    resolve()
    await nextFails
    await assert.rejects(next, /full/)
    assert.deepEqual(saved.map(idsOf), [['a', 'b']])
    saver.stop()
  })

  it('is broken from the first failed write to the next successful one, and reports each once', async () => {
    const { told, saved, disk, saver } = stage()
    disk.isFull = true
    for (let tries = 0; tries < 3; tries++) {
      await assert.rejects(saver.save(component('a'), alone), /full/)
      // Nothing to write, so nothing new is known about the disk.
      await saver.flush()
      assert.equal(saver.isBroken, true)
    }
    disk.isFull = false
    await saver.flush()
    assert.deepEqual([saver.isBroken, told, saved], [true, ['failing'], []])
    await saver.save(component('a'), alone)
    assert.deepEqual([saver.isBroken, told], [false, ['failing', 'saving']])
    saver.stop()
  })

  it('retries by itself what nobody waits for', async () => {
    const { saved, disk, saver } = stage()
    disk.isFull = true
    saver.saveSoon(component('kept'))
    await assert.rejects(saver.flush(), /full/)
    disk.isFull = false
    await until(() => !saver.isBroken)
    assert.deepEqual(saved.map(idsOf), [['kept']])
    saver.stop()
  })
})
