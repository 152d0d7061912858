import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, chunked, head } from '../http/wire.ts'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, refused } from '../support/people.ts'
import { picture } from '../support/real-images.ts'
import { withImages } from './admin-stage.ts'

const png = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR and so on, for more bytes than are looked at'
const gif = Buffer.from('GIF89a, and more bytes than are looked at')
const bytes = (text: string) => Buffer.from(text, 'latin1')

for (const objects of objectStores) {
  describe(`With UPLOAD_CHECK_TYPE=true, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects, { env: { UPLOAD_CHECK_TYPE: 'true' } })
    const { stage, owner, upload, uploadPath } = images

    it('a body of another type is refused before anything is stored, and the old image stays', async () => {
      assert.equal((await upload('fox/a.png', bytes(png))).status, 200)
      const before = await images.objects()
      for (const [name, type, body] of [
        ['fox/a.png', 'image/png', 'GIF89a'],
        ['fox/a.png', 'image/jpeg', png],
        ['fox/b.svg', 'image/svg+xml', png],
        ['fox/c.png', 'image/png', '<!doctype html>'.repeat(100_000)],
      ] as const)
        assert.deepEqual(
          answerOf(await upload(name, bytes(body), { type: `${type}; x=y` })),
          refused(400, `The body is not an image of type ${type}`),
        )
      assert.deepEqual([await images.objects(), images.temporary()], [before, []])
    })

    it('a body of its type is stored whole, however small its pieces are', async () => {
      const headers = { token: owner.token, 'Content-Type': 'image/png', 'Transfer-Encoding': 'chunked' }
      const pieces = ['\x89PN', 'G\r\n', '\x1a\n', 'rest']
      const { status } = await ask(
        stage.service.port,
        bytes(head('POST', uploadPath('bird/pieces.png'), headers) + chunked(...pieces)),
      )
      assert.equal(status, 200)
      const served = await fetch(`${stage.service.url}/i/bird/pieces.png`)
      assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes(pieces.join('')))
    })
  })

  describe(`An upload that will never be chosen, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects)
    const { place, upload } = images

    it('gets the usual reply, and a header that says so', async () => {
      await place.store.createBucket('elsewhere').catch(() => {})
      const warning = (name: string, bucket = place.bucket) =>
        upload(name, gif, { bucket, type: 'image/gif' }).then(({ status, body, headers }) => {
          assert.deepEqual([status, body.message, body.objectName], [200, 'Object uploaded', name])
          return headers.get('x-upload-warning')
        })
      const never = 'never chosen at random: '
      const kind = `${never}its name does not begin with a kind and / (GET /images lists the kinds)`
      for (const name of ['cat/a.gif', 'a.gif', 'Fox/a.gif']) assert.equal(await warning(name), kind, name)
      const characters = `${never}after the kind and /, its name has more than letters, digits, '.', '_' and '-', or has '..'`
      for (const name of ['fox/more/a.gif', 'fox/ä ö.gif', 'fox/my fox.gif', 'fox/a..gif'])
        assert.equal(await warning(name), characters, name)
      assert.equal(await warning('fox/a.gif', 'elsewhere'), `${never}only images in the bucket ${place.bucket} are`)
      assert.equal(await warning('fox/a.gif'), null)
    })

    it('gets a header too if its bytes are those of no image, as of a form that curl sent, or of a page of an error', async () => {
      for (const bytes of [
        'hello',
        '<!doctype html><title>502</title>',
        Buffer.from([0xef, 0xbf, 0xbd, 0x50, 0x4e, 0x47]),
      ]) {
        const { status, headers } = await upload('fox/words.png', bytes, { type: 'image/png' })
        assert.deepEqual(
          [status, headers.get('x-upload-warning')],
          [200, 'its first bytes are not those of a known type of image'],
        )
      }
    })
  })

  describe(`An upload of an image that ends early, ${objects.name}`, { skip: objects.skip }, () => {
    const { upload } = withImages(objects)

    it('gets the usual reply, and a header that says so, beside that it will never be chosen', async () => {
      const whole = await picture('jpeg', 30, 20)
      const warning = async (name: string, bytes: Buffer) => {
        const { status, headers } = await upload(name, bytes, { type: 'image/jpeg' })
        return [status, headers.get('x-upload-warning')]
      }
      const told = 'it ends early: a part of the image is missing'
      assert.deepEqual(await warning('fox/whole.jpg', whole), [200, null])
      assert.deepEqual(await warning('fox/cut.jpg', whole.subarray(0, -1)), [200, told])
      const [, both] = await warning('cat/cut.jpg', whole.subarray(0, -1))
      assert.match(String(both), new RegExp(`^never chosen at random: .*; ${told}$`))
    })
  })
}
