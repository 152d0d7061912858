import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { ListedObject, ListOptions, ObjectStore } from '../../../src/images/object-store.ts'
import { inParallel, type ObjectStage, type Put, putInto } from '../../support/object-stores.ts'
import { sized } from '../../support/size.ts'

const few = ['foxes', 'fox/a/b.png', 'fox/a/c/d.png', 'fox/aa.png', 'bird/1 +%2F.png', 'bird/ü.png', 'top.png']
const long = `fox/${'l'.repeat(300)}`

/** What every object store promises of its listings. */
export function objectListContract(stage: ObjectStage): void {
  const { pageLength } = stage
  const many = Array.from(
    { length: sized(1.2, 2.5) * pageLength },
    (_, index) => `fox/${String(index).padStart(4, '0')}.png`,
  )
  const all = [...many, ...few, long]

  describe(`the list of objects in ${stage.name}`, { skip: stage.skip }, () => {
    let place: Awaited<ReturnType<ObjectStage['make']>>
    let store: ObjectStore
    let put: Put
    before(async () => {
      place = await stage.make()
      store = place.store
      put = putInto(store, place.bucket)
    })

    async function listed(options: Partial<ListOptions> = {}): Promise<ListedObject[]> {
      const pages = await Array.fromAsync(store.list(place.bucket, { prefix: '', isFlat: false, ...options }))
      for (const page of pages) assert.ok(page.length <= pageLength)
      return pages.flat()
    }
    async function isListed(options: Partial<ListOptions>, expected: readonly string[]) {
      const names = (await listed(options)).map(({ name }) => name)
      assert.deepEqual(names.sort(), [...expected].sort(), JSON.stringify(options))
    }

    it('is empty for an empty bucket', async () => {
      await isListed({}, [])
      await isListed({ prefix: 'fox/', isFlat: true }, [])
    })

    it('has every object exactly once, over several pages', async () => {
      await inParallel(all, (name) => put(name, Buffer.from(name)))
      await isListed({}, all)
    })

    it('has all keys with the prefix, wherever it ends', async () => {
      for (const prefix of ['f', 'fox', 'fox/', 'fox/a', 'fox/a/', 'fox/00', 'bird/1 +%', 'fox/llll', long, 'top.png'])
        await isListed(
          { prefix },
          all.filter((name) => name.startsWith(prefix)),
        )
      for (const prefix of ['none', 'fox/none/', 'top.png/', 'FOX/', `${long}l`]) await isListed({ prefix }, [])
    })

    it('has nothing below its level if it is flat', async () => {
      for (const prefix of ['', 'fox', 'fox/', 'fox/a', 'fox/a/', 'bird/', 'fox/lll'])
        await isListed(
          { prefix, isFlat: true },
          all.filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/')),
        )
    })

    it('tells of the folders that a flat listing leaves out', async () => {
      for (const prefix of ['', 'fox', 'fox/', 'fox/a', 'bird/', 'fox/lll', 'none/']) {
        const told: string[] = []
        await listed({ prefix, isFlat: true, onFolder: (name) => void told.push(name) })
        const below = all.filter((name) => name.startsWith(prefix) && name.slice(prefix.length).includes('/'))
        const expected = new Set(below.map((name) => name.slice(0, name.indexOf('/', prefix.length) + 1)))
        assert.deepEqual(told.sort(), [...expected].sort(), prefix)
      }
    })

    it('describes each object as its head does', async () => {
      for (const { name, ...shown } of await listed({ prefix: 'fox/00' })) {
        const head = await store.head({ bucket: place.bucket, name })
        assert.ok(head)
        const { etag, size, modified } = head
        // A list may have milliseconds where a head has seconds.
        assert.deepEqual([shown.etag, shown.size], [etag, size])
        assert.equal(Math.trunc(shown.modified / 1_000), Math.trunc(modified / 1_000))
      }
    })

    it('no longer has removed objects, and has overwritten ones once', async () => {
      await put('fox/aa.png', Buffer.from('another'))
      await store.remove({ bucket: place.bucket, name: 'fox/a/b.png' })
      await isListed({ prefix: 'fox/a' }, ['fox/aa.png', 'fox/a/c/d.png'])
    })

    it('can be abandoned early, and is ended by the signal', async () => {
      for await (const page of store.list(place.bucket, { prefix: '', isFlat: false })) {
        assert.ok(page.length > 0)
        break
      }
      const leave = new AbortController()
      const left = async () => {
        for await (const _ of store.list(place.bucket, { prefix: '', isFlat: false, signal: leave.signal }))
          leave.abort(new Error('left'))
      }
      await assert.rejects(left)
    })
  })
}
