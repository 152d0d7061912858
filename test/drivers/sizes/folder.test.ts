import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openSizeFolder } from '../../../src/drivers/sizes/folder.ts'
import { atEnd } from '../../support/at-end.ts'
import { testFolder } from '../../support/test-folder.ts'

const name = (index: number) => String(index).padStart(32, '0').split('').toReversed().join('')
const bytes = Buffer.alloc(996, 'size')

function open(maxBytes: number, folder = join(testFolder(), 'sizes')) {
  const warnings: unknown[] = []
  const log = { warn: (fields: unknown) => void warnings.push(fields) }
  const files = openSizeFolder({ folder, maxBytes, log })
  atEnd(files.close)
  const paths = () => globSync('*/*', { cwd: folder }).map((path) => join(folder, path))
  const pathOf = (index: number) => join(folder, name(index).slice(0, 2), name(index))
  return {
    files,
    folder,
    warnings,
    pathOf,
    total: () => paths().reduce((sum, path) => sum + statSync(path).size, 0),
    async put(index: number, content = bytes) {
      files.write(name(index), content)
      await files.close()
    },
    /** As if it had been used this many seconds ago. */
    age(index: number, seconds: number) {
      const then = Date.now() / 1000 - seconds
      utimesSync(pathOf(index), then, then)
    },
  }
}

describe('The folder of resized images', () => {
  it('returns what was written, also after another start', async () => {
    const { files, folder, put } = open(100_000)
    assert.equal(await files.read(name(1)), null)
    await put(1)
    assert.deepEqual(await files.read(name(1)), bytes)
    assert.deepEqual(await open(100_000, folder).files.read(name(1)), bytes)
  })

  it('never holds more than its bound, and drops what was not used for longest', async () => {
    const { files, put, age, total } = open(10_000)
    for (let index = 0; index < 10; index++) {
      await put(index)
      age(index, 1_000 - index)
    }
    assert.deepEqual([total(), files.bytes()], [10_000, 10_000])
    // Used now, the oldest by being read and the next by being served from memory.
    await files.read(name(0))
    files.touch(name(1))
    await put(10)
    assert.ok(total() <= 10_000 && files.bytes() === total())
    const kept = await Promise.all(Array.from({ length: 11 }, (_, index) => files.read(name(index))))
    assert.deepEqual(
      kept.flatMap((found, index) => (found ? [index] : [])),
      [0, 1, 3, 4, 5, 6, 7, 8, 9, 10],
    )
  })

  it('counts what an earlier process left, and deletes what that had not finished', async () => {
    const { folder, put } = open(10_000)
    for (let index = 0; index < 9; index++) await put(index)
    writeFileSync(join(folder, name(0).slice(0, 2), `${name(0)}.partial`), 'half')
    const next = open(10_000, folder)
    await next.put(20)
    assert.deepEqual([next.files.bytes(), next.total()], [10_000, 10_000])
  })

  it('keeps nothing that is larger than its bound, and with 0 nothing at all', async () => {
    for (const maxBytes of [0, 500]) {
      const { files, put, total } = open(maxBytes)
      await put(1)
      assert.deepEqual([await files.read(name(1)), total()], [null, 0])
    }
  })

  it('can be deleted at any time', async () => {
    const { files, folder, put, warnings } = open(100_000)
    await put(1)
    rmSync(folder, { recursive: true })
    assert.equal(await files.read(name(1)), null)
    await put(2)
    assert.deepEqual([await files.read(name(2)), warnings], [bytes, []])
  })

  it('returns nothing that is damaged, and deletes it', async () => {
    const { files, put, pathOf } = open(100_000)
    const damages = [
      (path: string) => truncateSync(path, 500),
      (path: string) => truncateSync(path, 0),
      (path: string) => writeFileSync(path, Buffer.alloc(1_000)),
      (path: string) => writeFileSync(path, readFileSync(path).fill('x', 5, 6)),
    ]
    for (const [index, damage] of damages.entries()) {
      await put(index)
      damage(pathOf(index))
      assert.equal(await files.read(name(index)), null)
      await put(index)
      assert.deepEqual(await files.read(name(index)), bytes)
    }
  })

  it('that cannot be written costs only the cache, and one line of the log until it can be', async () => {
    const { files, folder, put, warnings } = open(100_000)
    writeFileSync(folder, 'a file')
    await put(1)
    await put(2)
    assert.equal(await files.read(name(1)), null)
    assert.deepEqual(warnings, [{ folder, reason: 'ENOTDIR' }])
    rmSync(folder)
    await put(3)
    assert.deepEqual(await files.read(name(3)), bytes)
  })

  it('keeps a copy: the caller may free its own', async () => {
    const { files } = open(100_000)
    const own = Buffer.from(bytes)
    files.write(name(1), own)
    own.fill(0)
    await files.close()
    assert.deepEqual(await files.read(name(1)), bytes)
  })
})
