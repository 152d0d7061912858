import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ObjectStore } from '../../../../src/images/object-store.ts'
import { md5Of, putInto } from '../../../support/object-stores.ts'
import type { Fault } from '../../../support/scripted-s3.ts'
import { bucket, isNonsense, place, small, stage, whole } from './s3-stage.ts'

const listed = (store: ObjectStore) => Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false }))
const put = (store: ObjectStore) => putInto(store, bucket)('fox/new.png', small)

/** Pages of a portal or proxy that look like an object. */
const pages: readonly Fault[] = ['text/html', 'text/html; charset=utf-8', 'image/png', 'text/plain'].map((type) => ({
  kind: 'html',
  etag: 'e'.repeat(32),
  type,
}))

describe('A store that marks its responses', () => {
  it('stores and removes, whatever the Content-Type of its responses', async () => {
    const { s3, store } = await stage()
    const etag = md5Of(small)
    // As Swift and moto answer a PUT.
    const headers = { 'Content-Type': 'text/html; charset=utf-8', ETag: `"${etag}"` }
    for (let turn = 0; turn < 2; turn++) {
      s3.next({ kind: 'status', status: 200, body: '', headers })
      assert.equal((await put(store)).etag, etag)
      s3.next({ kind: 'status', status: 200, body: '', headers })
      await store.remove(place)
    }
  })

  it('may report that a newer upload of the name came first', async () => {
    const { s3, store } = await stage()
    // As Swift does.
    const body = '<html><h1>Accepted</h1><p>The request is accepted for processing.</p></html>'
    s3.next({ kind: 'status', status: 200, body, headers: { 'Content-Type': 'text/html; charset=UTF-8' } })
    const { etag, md5 } = await put(store)
    assert.deepEqual([etag, md5], [md5Of(small), md5Of(small)])
    s3.next({ kind: 'status', status: 200, body, type: 'text/html' })
    await assert.rejects(put(store), isNonsense, 'without the mark')
  })

  it('can have HTML objects', async () => {
    const { s3, store } = await stage()
    s3.put(bucket, place.name, '<p>hello</p>', { type: 'text/html' })
    assert.equal((await store.head(place))?.type, 'text/html')
    assert.equal(String(await whole(store)), '<p>hello</p>')
  })

  for (const [what, learn] of [
    ['a read', whole],
    ['a listing', listed],
  ] as const)
    it(`in ${what} has no object in a response without the mark`, async () => {
      const { s3, store } = await stage()
      const version = { ...(await stage().then(({ store }) => store.head(place))), etag: md5Of(small) } as never
      await learn(store)
      for (const page of pages) {
        s3.always(page)
        await assert.rejects(store.read(place), isNonsense)
        await assert.rejects(store.head(place), isNonsense)
        await assert.rejects(store.readRange(place, version, { first: 0, last: 9 }), isNonsense)
        s3.heal()
        assert.ok((await whole(store)).equals(small))
      }
    })

  it('is not believed to have stored, removed or listed by a response without the mark', async () => {
    const { s3, store } = await stage()
    const acts = [put, (of: ObjectStore) => of.remove({ bucket, name: 'fox/new.png' }), listed]
    for (const act of acts) await act(store)
    s3.isMarked = () => false
    for (const act of acts) await assert.rejects(act(store), /without the x-amz-request-id of earlier responses/)
    await assert.rejects(store.check(bucket), isNonsense)
  })
})

describe('A store', () => {
  it('that marks no response works, but cannot have HTML objects', async () => {
    const { s3, store } = await stage()
    s3.isMarked = () => false
    await store.createBucket('made-here')
    await put(store)
    assert.ok((await whole(store)).equals(small))
    assert.equal((await listed(store)).flat().length, 2)
    await store.check(bucket)
    assert.equal(await store.bucketExists('no-bucket'), false)
    await store.remove(place)
    assert.deepEqual([await store.head(place), await store.read(place)], [null, null])
    s3.always(pages[0] as Fault)
    await assert.rejects(store.read(place), /a page of HTML/)
    await assert.rejects(store.head(place), /a page of HTML/)
  })

  it('that marks only its objects works', async () => {
    const { s3, store } = await stage()
    s3.isMarked = ({ operation }) => operation === 'get' || operation === 'head'
    for (let turn = 0; turn < 2; turn++) {
      assert.ok((await whole(store)).equals(small))
      await put(store)
      assert.equal((await listed(store)).flat().length, 2)
      await store.check(bucket)
      await store.remove({ bucket, name: 'fox/new.png' })
    }
  })
})
