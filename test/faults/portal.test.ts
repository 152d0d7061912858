import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Fault } from '../support/scripted-s3.ts'
import { startOver, textOf } from './away-stage.ts'

const names = ['fox/a.png', 'fox/b.png']
const hour = 3_600_000

/** As Express and similar frameworks answer. */
const notFound = {
  kind: 'status',
  status: 404,
  body: '{"message":"Not Found"}',
  type: 'application/json; charset=utf-8',
  headers: { ETag: 'W/"17-abc"' },
} as const

describe('A captive portal in front of the store', () => {
  const portals: readonly (readonly [string, Fault])[] = [
    ['with a page that looks like an object', { kind: 'html', etag: 'e'.repeat(32) }],
    ['with a picture', { kind: 'html', etag: 'e'.repeat(32), type: 'image/gif' }],
    ['with a page that is not found', { kind: 'status', status: 404, body: '<h1>404</h1>', type: 'text/html' }],
    ['with JSON that is not found and has an ETag', { ...notFound, isForeign: true }],
  ]
  for (const [what, fault] of portals)
    it(`${what} never becomes an image, and removes none from memory or the list`, async () => {
      const here = await startOver(names)
      await here.hold('fox/a.png')
      here.s3.always(fault)
      for (let turn = 0; turn < 3; turn++) {
        here.clock.advance(hour)
        assert.equal((await here.get('/i/fox/a.png')).text, textOf('fox/a.png'))
        assert.equal((await here.get('/i/fox/b.png')).status, 404)
        assert.equal((await here.get('/i/fox/b.png', 'HEAD')).status, 404)
        assert.equal((await here.get('/images/fox/random?as=bytes')).text, textOf('fox/a.png'))
        assert.deepEqual(await here.listed('fox'), names)
      }
      assert.equal((await here.upload('fox/c.png', 'new')).status, 500)
      assert.equal((await here.remove('fox/a.png')).status, 500)
      here.s3.heal()
      for (const name of names) assert.equal((await here.get(`/i/${name}`)).text, textOf(name))
      assert.deepEqual(await here.listed('fox'), names)
    })
})
