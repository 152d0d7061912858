import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'

const heap = join(import.meta.dirname, '../../src/process/heap.ts')

/** Prints the size of the young generation after each step, in MB. */
const script = `
  const { allowGrowth, boundHeap } = await import(${JSON.stringify(heap)})
  const { getHeapSpaceStatistics } = await import('node:v8')
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1e6
  const work = async (isDone) => {
    for (let turn = 0; turn < 200 && !isDone(); turn += 1) {
      globalThis.kept = Array.from({ length: 20_000 }, (_, at) => ({ at }))
      await new Promise(setImmediate)
    }
    return young()
  }
  const sizes = []
  boundHeap()
  sizes.push(await work(() => young() > 8))
  allowGrowth()
  sizes.push(await work(() => young() > 16))
  // Until a collection of that size is reported.
  await work(() => false)
  gc({ type: 'major', flavor: 'last-resort' })
  sizes.push(young())
  sizes.push(await work(() => young() > 16))
  console.log(JSON.stringify(sizes))`

it('the young generation stays small during a start, then grows, also after V8 has shrunk it', () => {
  const node = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.equal(node.stderr, '')
  const [atStart, grown, shrunk, again] = JSON.parse(node.stdout) as [number, number, number, number]
  assert.ok(atStart < 8, `${atStart}`)
  assert.ok(grown > 16, `${grown}`)
  assert.ok(shrunk < 8, `${shrunk}`)
  assert.ok(again > 16, `${again}`)
})
