import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { permitted, roles } from '../../src/accounts/roles.ts'
import { startOver, textOf } from '../faults/away-stage.ts'
import { md5Of, objectStores } from '../support/object-stores.ts'
import { answerOf, type Cast, cast, mayNotAccess, refused } from '../support/people.ts'
import { withImages } from './admin-stage.ts'
import { get } from './client.ts'

const notFound = refused(404, 'Image not found')
const bytesOf = (name: string) => `/admin/images/${name}/bytes`

for (const objects of objectStores)
  describe(`The bytes of hidden images, ${objects.name}`, { skip: objects.skip }, () => {
    const { stage, upload, remove, place, owner, pool } = withImages(objects)
    let people: Cast
    const hide = (name: string) =>
      stage.service.request('POST', '/admin/images/hide', { token: people.moderator.accessToken, body: { name } })
    const read = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
      get(stage.service.port, bytesOf(name), { method, headers: { authorization: owner.token, ...headers } })
    const small = randomBytes(3_000)
    const large = randomBytes(9_000_000)

    before(async () => {
      people = await cast(stage)
      await upload('fox/small.webp', small, { type: 'image/webp' })
      await upload('fox/large.png', large)
      for (const name of ['fox/small.webp', 'fox/large.png']) assert.equal((await hide(name)).status, 200)
    })

    it('are for those who may hide and show images, and for nobody else', async () => {
      for (const role of roles) {
        const { accessToken: token } = people[role]
        const reply = await stage.service.request('GET', bytesOf('fox/small.webp'), { token })
        if (permitted.moderate.includes(role)) assert.equal(reply.status, 200, role)
        else assert.deepEqual(answerOf(reply), mayNotAccess, role)
      }
      const stranger = await stage.service.request('GET', bytesOf('fox/small.webp'))
      assert.deepEqual(answerOf(stranger), refused(401, 'Access token is required'))
      const body = { name: 'all', scopes: ['images', 'admin:read', 'store'] }
      const { key } = (await stage.service.request('POST', '/auth/keys', { token: owner.token, body })).body
      const byKey = await stage.service.request('GET', bytesOf('fox/small.webp'), { token: `Bearer ${key}` })
      assert.deepEqual(answerOf(byKey), refused(403, 'API keys cannot be used here; sign in instead'))
    })

    it('are sent as stored, with the headers of /i but for no cache and no other origin', async () => {
      const whole = await read('fox/small.webp')
      assert.deepEqual([whole.status, whole.bytes.equals(small), whole.isWhole], [200, true, true])
      const { 'last-modified': _, ...headers } = whole.headers
      assert.deepEqual(headers, {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'no-store',
        'accept-ranges': 'bytes',
        'content-type': 'image/webp',
        'content-length': '3000',
        etag: `"${md5Of(small)}"`,
      })
      const head = await read('fox/small.webp', {}, 'HEAD')
      assert.deepEqual([head.status, head.headers, head.bytes.length], [200, whole.headers, 0])
      const part = await read('fox/small.webp', { range: 'bytes=10-19' })
      assert.deepEqual([part.status, part.bytes], [206, small.subarray(10, 20)])
      assert.equal((await read('fox/small.webp', { 'if-none-match': `"${md5Of(small)}"` })).status, 304)
      assert.equal((await read('fox/small.webp', { 'if-match': '"other"' })).status, 412)
      assert.equal((await read('fox/small.webp', { range: 'bytes=3000-' })).status, 416)
      assert.ok((await read('fox/large.png')).bytes.equals(large))
    })

    it('stay invisible to everybody, also after a moderator has seen them', async () => {
      for (const name of ['fox/small.webp', 'fox/large.png']) {
        await read(name)
        assert.equal((await stage.service.request('GET', `/i/${name}`)).status, 404, name)
      }
      assert.deepEqual(await pool('fox'), [])
      assert.equal((await stage.service.request('GET', '/images/fox/random', { token: owner.token })).status, 404)
    })

    it('are those that the store has now; of an image that is not hidden, too', async () => {
      await upload('fox/shown.png', 'shown')
      assert.equal((await read('fox/shown.png')).bytes.toString(), 'shown')
      await hide('fox/shown.png')
      await upload('fox/shown.png', 'another')
      assert.equal((await read('fox/shown.png')).bytes.toString(), 'another')
      await remove({ bucketName: place.bucket, objectName: 'fox/shown.png' })
      assert.equal((await read('fox/shown.png')).status, 404)
    })

    it('of no image are 404', async () => {
      for (const name of ['fox/none.png', 'cat/a.png', 'fox/..%2Fa.png', 'fox/%2e%2e', 'fox/a%2Fb.png'])
        for (const method of ['GET', 'HEAD']) {
          const { status, headers, bytes } = await read(name, {}, method)
          assert.deepEqual([status, headers['cache-control']], [404, 'no-store'], name)
          if (method === 'GET') assert.deepEqual([status, JSON.parse(bytes.toString())], notFound, name)
        }
    })

    it('are in the audit only if refused', async () => {
      for (const role of ['support', 'moderator'] as const)
        await stage.service.request('GET', bytesOf('fox/small.webp'), { token: people[role].accessToken })
      const eventsOf = async (actor: string) => {
        const path = `/admin/audit?action=hidden.read&actor=${actor}`
        return (await stage.service.request('GET', path, { token: owner.token })).body.events
      }
      const [refusal] = await eventsOf('support')
      assert.equal(refusal.outcome, 'refused: You do not have permission to access this resource')
      assert.deepEqual(await eventsOf('moderator'), [])
    })
  })

describe('The bytes of hidden images, over a scripted S3', () => {
  it('are read from it each time, and 503 while it cannot be reached', async () => {
    const here = await startOver(['fox/a.png'])
    await here.hold('fox/a.png')
    const body = { name: 'fox/a.png' }
    const { status } = await here.service.request('POST', '/admin/images/hide', { token: here.token, body })
    assert.equal(status, 200)
    const read = (method?: string) => here.get(bytesOf('fox/a.png'), method)
    const shown = await read()
    assert.deepEqual(
      [shown.status, shown.text, shown.headers.get('content-type')],
      [200, textOf('fox/a.png'), 'image/png'],
    )
    here.s3.put('images', 'fox/a.png', 'replaced', { type: 'image/gif' })
    const replaced = await read()
    assert.deepEqual([replaced.text, replaced.headers.get('content-type')], ['replaced', 'image/gif'])
    assert.equal((await read('HEAD')).headers.get('content-length'), '8')
    here.s3.always({ kind: 'lost-answer' })
    assert.deepEqual(answerOf(await read()), refused(503, 'Service is temporarily unavailable, please try again'))
    assert.equal((await read('HEAD')).status, 503)
    here.s3.heal()
    assert.equal((await here.get('/i/fox/a.png')).status, 404)
    assert.deepEqual(await here.listed('fox'), [])
  })
})
