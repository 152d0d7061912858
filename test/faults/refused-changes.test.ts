import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf, refused } from '../support/people.ts'
import { patientTimes, shortTimes } from '../support/s3-times.ts'
import type { Fault, Filter } from '../support/scripted-s3.ts'
import { startOver, textOf } from './away-stage.ts'

const limit = { timeout: 60_000 }
const name = 'fox/a.png'
const html = { body: '<h1>No</h1>', type: 'text/html' }
const notDeleted = refused(500, 'Error deleting object')
const notUploaded = refused(500, 'Error uploading object')

describe('A delete or upload refused by the store', { concurrency: true }, () => {
  const refusals: readonly (readonly [string, Fault | null])[] = [
    ['connections', null],
    ['with 403', { kind: 'status', status: 403 }],
    ['with the 403 of a proxy', { kind: 'status', status: 403, ...html }],
    ['with the 404 of another web server', { kind: 'status', status: 404, ...html }],
    ['with a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/' }],
  ]
  for (const [what, fault] of refusals)
    it(`${what} keeps the image in memory and in the list`, limit, async () => {
      const here = await startOver([name, 'fox/b.png'])
      await here.hold(name)
      if (fault === null) await here.s3.stop()
      else here.s3.always(fault, ({ operation }) => operation === 'put' || operation === 'delete')
      // The first attempt finds out that the store is away, the second knows.
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.deepEqual(answerOf(await here.remove(name)), notDeleted)
        assert.equal((await here.get(`/i/${name}`)).text, textOf(name))
        assert.deepEqual(answerOf(await here.upload(name, 'other bytes')), notUploaded)
        assert.equal((await here.get(`/i/${name}`)).text, textOf(name))
        assert.deepEqual(await here.listed('fox'), [name, 'fox/b.png'])
      }
      const gets = here.s3.requests.filter(({ operation, key }) => operation === 'get' && key === name)
      assert.equal(gets.length, 1, 'it never left memory')
      assert.deepEqual(answerOf(await here.remove('fox/b.png')), notDeleted)
      assert.deepEqual(await here.listed('fox'), [name, 'fox/b.png'])
    })
})

describe('A delete', { concurrency: true }, () => {
  const doubts: readonly (readonly [string, Fault])[] = [
    ['a time-out', { kind: 'silent' }],
    ['a reset after it was sent', { kind: 'lost-answer' }],
    ['the 504 of a gateway', { kind: 'status', status: 504, ...html }],
  ]
  for (const [what, fault] of doubts)
    it(
      `that ends in ${what} removes the image from memory, and from the list while the store does not answer`,
      limit,
      async () => {
        const here = await startOver([name, 'fox/b.png'])
        await here.hold(name)
        here.s3.always(fault)
        Object.assign(here.times, shortTimes)
        assert.deepEqual(answerOf(await here.remove(name)), notDeleted)
        assert.equal((await here.get(`/i/${name}`)).status, 404)
        assert.deepEqual(await here.listed('fox'), ['fox/b.png'])
      },
    )

  it('that times out keeps an image that the store still has', limit, async () => {
    const here = await startOver([name], { breakerOpenMs: 0 })
    await here.hold(name)
    const isDelete: Filter = ({ operation }) => operation === 'delete'
    here.s3.always({ kind: 'silent' }, isDelete)
    const arrived = here.s3.arrival(isDelete)
    Object.assign(here.times, shortTimes)
    const removing = here.remove(name)
    await arrived
    Object.assign(here.times, patientTimes)
    assert.deepEqual(answerOf(await removing), notDeleted)
    assert.equal((await here.get(`/i/${name}`)).text, textOf(name))
    assert.deepEqual(await here.listed('fox'), [name])
  })

  it('that succeeded is visible at once, even if the store goes down before it can be asked again', limit, async () => {
    const here = await startOver([name, 'fox/b.png'])
    await here.hold(name)
    here.s3.always({ kind: 'status', status: 500 }, ({ operation }) => operation !== 'delete')
    assert.equal((await here.remove(name)).status, 200)
    assert.equal((await here.get(`/i/${name}`)).status, 404)
    assert.deepEqual(await here.listed('fox'), ['fox/b.png'])
  })
})
