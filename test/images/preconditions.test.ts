import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, refused } from '../support/people.ts'
import { withImages } from './admin-stage.ts'

const failed = refused(412, 'Precondition failed')

for (const objects of objectStores)
  describe(`An upload or deletion with a precondition, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects)
    const { stage, place, owner, uploadPath } = images

    const upload = async (bytes: string, headers: Record<string, string>) => {
      const more = { 'content-type': 'image/png', ...headers }
      return stage.service.request('POST', uploadPath('fox/a.png'), { token: owner.token, headers: more, body: bytes })
    }
    const remove = (headers: Record<string, string>) => {
      const body = { bucketName: place.bucket, objectName: 'fox/a.png' }
      return stage.service.request('DELETE', '/admin/s3/delete', { token: owner.token, headers, body })
    }

    it('changes the version that was seen, and no other', async () => {
      assert.deepEqual(answerOf(await upload('none yet', { 'if-match': '*' })), failed)
      assert.deepEqual(answerOf(await remove({ 'if-match': '"x"' })), failed)
      const { etag: first } = (await upload('first', { 'if-none-match': '*' })).body
      for (const headers of [{ 'if-none-match': '*' }, { 'if-match': '"other"' }, { 'if-none-match': `"${first}"` }])
        assert.deepEqual(answerOf(await upload('second', headers)), failed)
      assert.deepEqual(await images.objects(), { 'fox/a.png': first })
      const { etag: second } = (await upload('second', { 'if-match': `"${first}"` })).body
      for (const match of [`"${first}"`, `W/"${second}"`, second])
        assert.deepEqual(answerOf(await remove({ 'if-match': match })), failed, match)
      assert.deepEqual(await images.objects(), { 'fox/a.png': second })
      assert.equal((await remove({ 'if-match': `"${second}"` })).status, 200)
      assert.deepEqual(await images.objects(), {})
    })

    it('is sent by the client', async () => {
      const { store } = createClient({ url: stage.service.url, token: owner.token })
      const to = { bucketName: place.bucket, objectName: 'fox/b.png' }
      const picture = new Blob(['picture'], { type: 'image/png' })
      const { etag } = await store.upload(to, picture, { ifAbsent: true })
      await assert.rejects(store.upload(to, picture, { ifAbsent: true }), { status: 412 })
      await assert.rejects(store.delete(to, { ifMatch: 'other' }), { status: 412 })
      await store.delete(to, { ifMatch: etag })
    })
  })
