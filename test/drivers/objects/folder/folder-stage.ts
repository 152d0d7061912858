import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { before } from 'node:test'
import { openFolderStore } from '../../../../src/drivers/objects/folder/folder.ts'
import type { ObjectStore } from '../../../../src/images/object-store.ts'
import { type Clock, systemClock } from '../../../../src/lib/clock.ts'
import { type Put, putInto } from '../../../support/object-stores.ts'
import { testFolder } from '../../../support/test-folder.ts'

/** A folder of its own for a describe. */
export function folderStage(clock = systemClock) {
  const held = makeFolderStage(clock)
  before(held.reopen)
  return held
}

/** A folder of its own for a test. */
export async function openFolderStage(clock = systemClock) {
  const held = makeFolderStage(clock)
  await held.reopen()
  return held
}

function makeFolderStage(clock: Clock) {
  const dataDir = testFolder()
  const objects = join(dataDir, 'objects')
  const held = {
    dataDir,
    objects,
    bucket: join(objects, 'images'),
    temporary: join(objects, '.temporary'),
    metadata: join(objects, '.details', 'images'),
    store: {} as ObjectStore,
    put: (() => {}) as unknown as Put,
    async reopen() {
      held.store = await openFolderStore({ dataDir, clock })
      await held.store.createBucket('images')
      held.put = putInto(held.store, 'images')
    },
    at: (name: string) => ({ bucket: 'images', name }),
    /** The paths of all records of the bucket. */
    records: () =>
      readdirSync(held.metadata, { recursive: true, encoding: 'utf8', withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
      ),
    async names() {
      const pages = await Array.fromAsync(held.store.list('images', { prefix: '', isFlat: false }))
      return pages.flatMap((page) => page.map(({ name }) => name)).sort()
    },
    async bytesOf(name: string) {
      return (await held.store.read(held.at(name)))?.whole() ?? null
    },
    /** That no operation shows anything at that name. */
    async isNoObject(name: string) {
      assert.equal(await held.store.head(held.at(name)), null, name)
      assert.equal(await held.store.read(held.at(name)), null, name)
      assert.ok(!(await held.names()).includes(name), name)
    },
  }
  return held
}
