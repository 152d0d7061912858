import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stores } from '../support/stores.ts'
import { drivenWorker, sender } from './driven-worker.ts'
import { openWorker } from './worker-stage.ts'

const hour = 3_600_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()

for (const store of stores)
  describe(`/announcements, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('announces, lists and ends texts, over restarts, and logs who did', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      const made = await worker.ask('POST', '/announcements', { text: ' <b>zoo</b>\u202e ünd "so" ' })
      const { id, from } = made.body.announcement
      const announcement = { id, text: '<b>zoo</b>\u202e ünd "so"', from, until: null, endedAt: null, state: 'active' }
      assert.deepEqual([made.status, made.body], [201, { ok: true, announcement }])
      const planned = await worker.ask('POST', '/announcements', { text: 'later', from: at(hour), until: at(2 * hour) })
      assert.equal(planned.body.announcement.state, 'planned')
      await worker.close()
      worker = await openWorker({ place })
      const listed = async (query = '') => (await worker.ask('GET', `/announcements${query}`)).body.announcements
      assert.deepEqual(await listed('?state=active'), [announcement])
      assert.deepEqual(
        (await listed()).map((each: { text: string }) => each.text),
        ['later', announcement.text],
      )
      const ended = await worker.ask('DELETE', `/announcements/${id}`)
      assert.deepEqual([ended.status, ended.body.announcement.state], [200, 'over'])
      const again = await worker.ask('DELETE', `/announcements/${id}`)
      assert.deepEqual([again.status, again.body], [409, { ok: false, error: 'Announcement is over' }])
      const lines = worker.logged().filter(({ msg }) => String(msg).startsWith('announcement '))
      assert.deepEqual(
        lines.map(({ msg, address, announcement }) => [msg, address, announcement]),
        [['announcement ended', '127.0.0.1', id]],
      )
      await worker.close()
      await place.drop()
    })
  })

describe('/announcements', () => {
  it('refuses what is invalid or unknown, and more than 50 that are not over', async () => {
    const worker = await openWorker()
    const badText = 'text must be a string of at most 500 characters'
    const badTime = 'from and until must be ISO 8601 timestamps with a time zone'
    const badPeriod = 'until must be after from, and in the future'
    for (const [body, error] of [
      [{}, badText],
      [{ text: '' }, badText],
      [{ text: ' \n ' }, badText],
      [{ text: 5 }, badText],
      [{ text: null }, badText],
      [{ text: 'x'.repeat(501) }, badText],
      [{ text: 'x', from: 'tomorrow' }, badTime],
      [{ text: 'x', until: 5 }, badTime],
      [{ text: 'x', until: at(-1) }, badPeriod],
      [{ text: 'x', from: at(2 * hour), until: at(hour) }, badPeriod],
    ] as const) {
      const refused = await worker.ask('POST', '/announcements', body)
      assert.deepEqual([refused.status, refused.body], [400, { ok: false, error }], JSON.stringify(body).slice(0, 99))
    }
    assert.equal((await worker.ask('POST', '/announcements', '{')).body.error, 'Malformed JSON')
    assert.equal((await worker.ask('GET', '/announcements?state=x')).status, 400)
    for (const name of ['unknown', '__proto__', '%00'])
      assert.equal((await worker.ask('DELETE', `/announcements/${name}`)).body.error, 'Unknown announcement')
    const announce = () => worker.ask('POST', '/announcements', { text: 'x' })
    const made = await Promise.all(Array.from({ length: 51 }, announce))
    const refused = made.filter(({ status }) => status !== 201)
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body]),
      [[429, { ok: false, error: 'Announcement limit reached' }]],
    )
    const kept = made.find(({ status }) => status === 201)
    await worker.ask('DELETE', `/announcements/${kept?.body.announcement.id}`)
    assert.equal((await announce()).status, 201)
    await worker.close()
  })

  it('keeps nothing that cannot be saved, and lists the newest 500', async () => {
    const { clock, disk, worker, end: stop } = await drivenWorker()
    const announce = (text: string) => worker.announcements.announce({ text, from: clock.now(), until: null }, sender)
    disk.isFull = true
    await assert.rejects(announce('lost'))
    disk.isFull = false
    const kept = await announce('kept')
    for (let made = 0; made < 501; made++) {
      const { id } = await announce(String(made))
      await worker.announcements.end(id, sender)
    }
    const texts = worker.announcements.list().map(({ text }) => text)
    assert.deepEqual([texts.length, texts.includes('kept'), texts.includes('lost')], [500, true, false])
    await worker.announcements.end(kept.id, sender)
    worker.announcements.forget(clock.now() + 1)
    assert.deepEqual(worker.announcements.list(), [])
    await stop()
  })
})
