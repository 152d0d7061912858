import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import type { Database } from '../../src/drivers/accounts/database.ts'
import { NoSuchBucket, type ObjectStore } from '../../src/images/object-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type Event, withAudit } from '../accounts/admin/audit-stage.ts'
import { head, Wire } from '../http/wire.ts'
import { type ObjectStage, objectStores } from '../support/object-stores.ts'
import { refuseEvents } from '../support/refuse-events.ts'
import type { Person, Reply, RequestOptions } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'
import { placeOf, until } from './admin-stage.ts'

const md5 = (bytes: string) => createHash('md5').update(bytes).digest('hex')
const etag = md5('bytes')
const mayNot = 'refused: You do not have permission to access this resource'
const timeless = ({ id: _, at: __, ...rest }: Partial<Event>) => rest
const [folder, s3] = objectStores as [ObjectStage, ObjectStage]
/** Where no database is named it is SQLite. */
const pairs: readonly (readonly [ObjectStage, Store | null])[] = [
  [folder, null],
  [folder, stores[1] ?? null],
  [s3, null],
]

for (const [objects, withDatabase] of pairs) {
  const { place, accounts } = placeOf(objects, withDatabase)
  describe(`The audit of objects, ${accounts.name}`, { skip: accounts.skip }, () => {
    const broken: Partial<Pick<ObjectStore, 'write' | 'remove'>> = {}
    let open: () => Promise<Database>
    const made: Store = {
      ...accounts,
      async make() {
        const found = await accounts.make()
        open = found.open
        return found
      },
    }
    const { stage, clock, owner, during, person, read, events, eventOf } = withAudit(made, {
      env: { UPLOAD_MAX_BYTES: '1000' },
      overrides: {
        // S3 refuses requests whose time is not its own.
        ...(objects === s3 && { clock: systemClock }),
        images: {
          store: (real) => ({
            ...real,
            write: (given) => (broken.write ?? real.write)(given),
            remove: (given) => (broken.remove ?? real.remove)(given),
          }),
        },
      },
    })
    let ada: Person
    let uma: Person
    before(async () => {
      ada = await person('ada', 'admin')
      uma = await person('uma')
    })
    beforeEach(() => {
      delete broken.write
      delete broken.remove
    })

    const target = (name: string) => `${place.bucket}/${name}`
    const send = (query: object, { headers, body = 'bytes', token = ada.accessToken }: RequestOptions = {}) =>
      stage.service.request('POST', `/admin/s3/upload?${new URLSearchParams(query as Record<string, string>)}`, {
        token,
        headers: { 'content-type': 'image/png', ...headers },
        body,
      })
    const upload = (objectName: string, options?: RequestOptions) =>
      send({ bucketName: place.bucket, objectName }, options)
    const remove = (body: object, token = ada.accessToken) =>
      stage.service.request('DELETE', '/admin/s3/delete', { token, body: { bucketName: place.bucket, ...body } })
    const test = (body: object, token = ada.accessToken) =>
      stage.service.request('GET', '/admin/s3/test', { token, body })

    it('has an upload: who, what, when, from where, and its result', async () => {
      const { reply, told } = await during(() => upload('fox/a.png', { headers: { 'content-type': 'IMAGE/Png; a=b' } }))
      assert.equal(reply.status, 200)
      const after = { etag, type: 'image/png', versionId: null }
      const expected = timeless(eventOf(reply, { action: 'upload', actor: ada.id, target: target('fox/a.png'), after }))
      assert.deepEqual(told.map(timeless), [expected])
      const at = Date.parse(told[0]?.at ?? '')
      assert.ok(objects === s3 ? at <= Date.now() : at === clock.now())
    })

    it('has a delete by name, also of a missing object', async () => {
      for (let time = 0; time < 2; time++) {
        const { reply, told } = await during(() => remove({ objectName: 'fox/a.png' }))
        assert.equal(reply.status, 200)
        const expected = timeless(
          eventOf(reply, { action: 'delete-object', actor: ada.id, target: target('fox/a.png') }),
        )
        assert.deepEqual(told.map(timeless), [expected])
      }
    })

    it('has a delete by ETag, under the name of the object', async () => {
      await upload('bird/by-etag.png', { body: 'others' })
      const { reply, told } = await during(() => remove({ etag: `"${md5('others')}"` }))
      assert.equal(reply.status, 200)
      const expected = timeless(
        eventOf(reply, { action: 'delete-object', actor: ada.id, target: target('bird/by-etag.png') }),
      )
      assert.deepEqual(told.map(timeless), [expected])
    })

    it('has no successful test of the store', async () => {
      const { told } = await during(async () => {
        for (const body of [{}, { bucketExists: place.bucket }, { bucketExists: 'nowhere' }])
          assert.equal((await test(body)).status, 200, JSON.stringify(body))
      })
      assert.deepEqual(told, [])
    })

    interface Attempt {
      readonly act: () => Promise<Reply>
      readonly status: number
      readonly told: () => Partial<Event>
    }
    const uploaded = (outcome: string, name: string | null = null): Partial<Event> => ({
      action: 'upload',
      outcome,
      target: name === null ? null : target(name),
    })
    const removed = (outcome: string, name: string | null = null): Partial<Event> => ({
      ...uploaded(outcome, name),
      action: 'delete-object',
    })
    const attempts: Record<string, Attempt> = {
      'an upload by somebody who may not': {
        act: () => upload('fox/no.png', { token: uma.accessToken }),
        status: 403,
        told: () => ({ ...uploaded(mayNot), actor: uma.id }),
      },
      'an upload without parameters': {
        act: () => send({}),
        status: 400,
        told: () => uploaded('refused: bucketName, objectName and path query params are required'),
      },
      'an upload of another type': {
        act: () => upload('fox/no.png', { headers: { 'content-type': 'text/html' } }),
        status: 400,
        told: () => uploaded('refused: Content-Type must be an image/* mime type'),
      },
      'an upload into a bucket that cannot be': {
        act: () => send({ bucketName: 'x\0'.repeat(1_000), objectName: 'fox/no.png' }),
        status: 400,
        told: () => uploaded('refused: bucketName is not a valid bucket name'),
      },
      'an upload of a name that cannot be': {
        act: () => upload('../\0'.repeat(1_000)),
        status: 400,
        told: () => uploaded('refused: objectName is not a valid object name'),
      },
      'an upload that is too large': {
        act: () => upload('fox/large.png', { body: 'x'.repeat(1_001) }),
        status: 413,
        told: () => uploaded('refused: Request body is too large', 'fox/large.png'),
      },
      'an upload that is compressed': {
        act: () => upload('fox/no.png', { headers: { 'content-encoding': 'gzip' } }),
        status: 415,
        told: () => uploaded('refused: Content-Encoding is not supported', 'fox/no.png'),
      },
      'an upload of nothing': {
        act: () => upload('fox/no.png', { body: '' }),
        status: 400,
        told: () => uploaded('refused: Request body must contain image bytes', 'fox/no.png'),
      },
      'an upload into a bucket that is not there': {
        act: () => send({ bucketName: 'nowhere', objectName: 'fox/no.png' }),
        status: 404,
        told: () => ({ ...uploaded('refused: Bucket not found'), target: 'nowhere/fox/no.png' }),
      },
      'an upload that failed': {
        act: () => {
          broken.write = () => Promise.reject(new Error('a detail of the store'))
          return upload('fox/no.png')
        },
        status: 500,
        told: () => uploaded('failed: Error uploading object', 'fox/no.png'),
      },
      'a removal by somebody who may not': {
        act: () => remove({ objectName: 'fox/no.png' }, uma.accessToken),
        status: 403,
        told: () => ({ ...removed(mayNot), actor: uma.id }),
      },
      'a removal of nothing': {
        act: () => remove({}),
        status: 400,
        told: () => removed('refused: bucketName and either objectName or etag are required'),
      },
      'a removal of a name that cannot be': {
        act: () => remove({ objectName: 'fox/\0' }),
        status: 400,
        told: () => removed('refused: objectName is not a valid object name'),
      },
      'a removal by an ETag that nothing has': {
        act: () => remove({ etag: 'f'.repeat(32) }),
        status: 404,
        told: () => removed('refused: Object not found', `etag ${'f'.repeat(32)}`),
      },
      'a removal by what can be no ETag': {
        act: () => remove({ etag: 'x\0'.repeat(1_000) }),
        status: 404,
        told: () => removed('refused: Object not found'),
      },
      'a removal by an ETag that two objects have': {
        act: async () => {
          for (const name of ['hug/1.png', 'hug/2.png']) await upload(name, { body: 'the same', token: owner.token })
          return remove({ etag: md5('the same') })
        },
        status: 409,
        told: () => removed('refused: More than one object has this etag', `etag ${md5('the same')}`),
      },
      'a removal from a bucket that is not there': {
        act: () => remove({ bucketName: 'nowhere', objectName: 'fox/no.png' }),
        status: 500,
        told: () => ({ ...removed('failed: Error deleting object'), target: 'nowhere/fox/no.png' }),
      },
      'a removal that failed': {
        act: () => {
          broken.remove = ({ bucket }) => Promise.reject(new NoSuchBucket(bucket))
          return remove({ objectName: 'fox/no.png' })
        },
        status: 500,
        told: () => removed('failed: Error deleting object', 'fox/no.png'),
      },
      'a test of the store by somebody who may not': {
        act: () => test({}, uma.accessToken),
        status: 403,
        told: () => ({ action: 'store.test', outcome: mayNot, actor: uma.id }),
      },
      'a test of the store that is refused': {
        act: () => test({ bucketExists: 5 }),
        status: 400,
        told: () => ({ action: 'store.test', outcome: 'refused: bucketExists must be a string' }),
      },
    }
    for (const [title, { act, status, told: expected }] of Object.entries(attempts)) {
      it(`has ${title}`, async () => {
        const { reply, told } = await during(act)
        assert.equal(reply.status, status, reply.text)
        const [last] = told.map(timeless)
        assert.deepEqual(last, timeless(eventOf(reply, { actor: ada.id, ...expected() })))
      })
    }

    it('has no event of an anonymous request', async () => {
      const { told } = await during(async () => {
        for (const token of ['', 'Bearer badResponse']) {
          assert.equal((await upload('fox/a.png', { token })).status, 401)
          assert.equal((await remove({ objectName: 'fox/a.png' }, token)).status, 401)
          assert.equal((await test({}, token)).status, 401)
        }
      })
      assert.deepEqual(told, [])
    })

    it('has no success of an aborted upload', async () => {
      const path = `/admin/s3/upload?bucketName=${place.bucket}&objectName=fox/cut.png`
      const { told } = await during(async () => {
        const headers = { token: ada.accessToken, 'Content-Type': 'image/png', 'Content-Length': 100 }
        const wire = new Wire(stage.service.port).send(`${head('POST', path, { ...headers, Expect: '100-continue' })}`)
        await wire.answer()
        wire.send('bytes').close()
        await until(() => stage.service.logged().some(({ status }) => status === 499))
      })
      assert.deepEqual(told, [])
    })

    it('finds the events of an object by bucket and name', async () => {
      const name = "pat/odd name's (é).png"
      await upload(name)
      await upload(name, { body: 'x'.repeat(1_001) })
      await upload(name, { token: owner.token })
      await upload(`${name}2`)
      await remove({ objectName: name })
      const found = await events(`&target=${encodeURIComponent(target(name))}`)
      assert.deepEqual(
        found.map(({ action, outcome, actor, target: of }) => [action, outcome.split(':')[0], actor, of]),
        [
          ['delete-object', 'success', ada.id, target(name)],
          ['upload', 'success', owner.id, target(name)],
          ['upload', 'refused', ada.id, target(name)],
          ['upload', 'success', ada.id, target(name)],
        ],
      )
      const mine = await events(`&actor=olivia&action=upload&target=${encodeURIComponent(target(name))}`)
      assert.equal(mine.length, 1)
    })

    it('finds those that failed by their outcome', async () => {
      const name = 'pat/failed.png'
      broken.write = () => Promise.reject(new Error('a detail of the store'))
      assert.equal((await upload(name)).status, 500)
      delete broken.write
      await upload(name, { body: 'x'.repeat(1_001) })
      await upload(name)
      const counts = ['failed', 'refused', 'success'].map(async (outcome) => {
        const found = await events(`&outcome=${outcome}&target=${encodeURIComponent(target(name))}`)
        return [found.length, found[0]?.outcome.split(':')[0]]
      })
      assert.deepEqual(await Promise.all(counts), [
        [1, 'failed'],
        [1, 'refused'],
        [1, 'success'],
      ])
    })

    it('finds none for a target that is no object', async () => {
      for (const of of [
        '/',
        'nowhere/x',
        `${place.bucket}/`,
        'a/\0',
        '\0/a',
        'a/\n',
        `a/${'x'.repeat(5_000)}`,
        "'/*",
      ]) {
        const { status, body } = await read(`?target=${encodeURIComponent(of)}`)
        assert.deepEqual([status, body.events], [200, []], of)
      }
    })

    it('counts each request of a known user as an admin request, refused or not', async () => {
      const admin = async (id: string) => {
        const reply = await stage.service.request('GET', `/admin/user/search?userId=${id}`, { token: owner.token })
        return reply.body.requests.admin
      }
      const [adas, umas] = [await admin(ada.id), await admin(uma.id)]
      await upload('kiss/counted.png')
      await upload('..')
      await remove({ objectName: 'kiss/counted.png' })
      await test({})
      await upload('kiss/counted.png', { token: uma.accessToken })
      assert.deepEqual([await admin(ada.id), await admin(uma.id)], [adas + 4, umas + 1])
    })

    it('never fails an act that cannot be recorded, and records it later', async () => {
      const database = await open()
      try {
        const allow = await refuseEvents(database)
        const reply = await upload('smug/later.png')
        assert.equal(reply.status, 200)
        await allow()
        const found = await events(`&target=${target('smug/later.png')}`)
        const after = { etag, type: 'image/png', versionId: null }
        const expected = timeless(
          eventOf(reply, { action: 'upload', actor: ada.id, target: target('smug/later.png'), after }),
        )
        assert.deepEqual(found.map(timeless), [expected])
      } finally {
        await database.close()
      }
    })
  })
}
