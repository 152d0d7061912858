import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'
import { placeOf } from './admin-stage.ts'
import { answerOf, refused } from './image-stage.ts'

const foxes = Array.from({ length: 6 }, (_, index) => `fox/${index}.png`)
const birds = ['bird/a.png', 'bird/b.png']
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const keeper = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'correct horse of the keeper' }

for (const accounts of stores)
  describe(`The image of the day on ${accounts.name}`, { skip: accounts.skip }, () => {
    const stage = withTwo(accounts)
    const { ask, nameOn, clock } = stage

    it('is the same for everybody, on every instance and in every form, and none comes again until all were shown', async () => {
      const { one, two } = stage
      const path = '/images/random?kinds=bird,fox&per=day'
      const { accessToken: stranger } = await one.register('stranger')
      const [replies, days] = [[] as string[][], foxes.length + birds.length]
      for (let day = 0; day < 2 * days; day++) {
        const shown = [await nameOn(one, path), await nameOn(two, path)]
        clock.advance(hourMs * 11)
        shown.push((await two.request('GET', path, { token: stranger })).body.name)
        const { text } = await ask(two, `${path}&as=text&tz=UTC`)
        const { headers } = await ask(one, `${path.replace('bird,fox', 'fox,bird')}&as=redirect`)
        const bytes = await ask(one, `${path}&as=bytes&meta=0`)
        shown.push(text.trim().split('/i/')[1] ?? '', headers.get('location')?.split('/i/')[1] ?? '')
        shown.push(bytes.text.replace('the bytes of ', ''))
        assert.equal(new Set(shown).size, 1, `${day}: ${shown}`)
        assert.equal(bytes.headers.get('x-images-remaining'), null)
        replies.push(shown)
        clock.advance(hourMs * 13)
      }
      const names = replies.map(([name]) => name)
      for (const round of [names.slice(0, days), names.slice(days)])
        assert.deepEqual(round.toSorted(), [...foxes, ...birds].toSorted())
    })

    it('is chosen once if two instances choose at the same time', async () => {
      const { one, two } = stage
      const path = '/images/fox/random?per=hour'
      for (let hour = 0; hour < 12; hour++) {
        const names = await Promise.all([one, two, one, two].map((service) => nameOn(service, path)))
        assert.equal(new Set(names).size, 1, `${hour}: ${names}`)
        clock.advance(hourMs)
      }
    })

    it('changes at local midnight of its time zone, in which each is chosen separately, and outlives a restart', async () => {
      const now = clock.now()
      // Ten in the evening in Berlin.
      clock.advance(dayMs - (now % dayMs) + 20 * hourMs)
      const path = (zone: string) => `/images/fox/random?per=day&tz=${zone}`
      const first = await nameOn(stage.one, path('Europe/Berlin'))
      const utc = await nameOn(stage.one, path('UTC'))
      clock.advance(2 * hourMs - 1)
      const three = await stage.again()
      assert.equal(await nameOn(three, path('europe/berlin')), first)
      clock.advance(1)
      const next = await nameOn(three, path('Europe/Berlin'))
      assert.notEqual(next, first)
      assert.deepEqual(
        [await nameOn(stage.one, path('Europe/Berlin')), await nameOn(stage.one, path('UTC'))],
        [next, utc],
      )
      await three.close()
    })

    it('stays that of others, however many one user asks for', async () => {
      const { one, two } = stage
      const { accessToken: greedy } = await one.register('greedy')
      const path = '/images/fox/random?per=week'
      const first = await nameOn(one, path)
      clock.advance(7 * dayMs)
      const kept = await nameOn(one, path)
      assert.notEqual(kept, first)
      clock.advance(1)
      for (let index = 0; index < 1_100; index++)
        await (index % 2 === 0 ? one : two).request('GET', `${path}&without=t${index}`, { token: greedy })
      assert.deepEqual([await nameOn(one, path), await nameOn(two, path)], [kept, kept])
    })

    it('that is deleted or hidden is replaced for the rest of the day, and does not come back with its return', async () => {
      const { one, two, place } = stage
      clock.advance(dayMs)
      const path = '/images/fox/random?per=day'
      const token = stage.keeperToken
      const deleted = await nameOn(one, path)
      const body = { bucketName: place.bucket, objectName: deleted }
      assert.equal((await one.request('DELETE', '/admin/s3/delete', { token, body })).status, 200)
      const second = await nameOn(one, path)
      assert.notEqual(second, deleted)
      assert.equal((await ask(two, `${path}&as=bytes`)).text, `the bytes of ${second}`)
      await one.request('POST', '/images/report', { token, body: { name: second, reason: 'No fox' } })
      const [{ id }] = (await one.request('GET', '/admin/reports', { token })).body.reports
      const act = { token, body: { action: 'hide' } }
      assert.equal((await one.request('POST', `/admin/reports/${id}/resolve`, act)).status, 200)
      const third = await nameOn(one, path)
      assert.ok(![deleted, second].includes(third))
      await putInto(place.store, place.bucket)(deleted, Buffer.from(`the bytes of ${deleted}`), { type: 'image/png' })
      assert.deepEqual([await nameOn(one, path), await nameOn(await stage.again(), path)], [third, third])
    })

    it('of an embed link is the one of its period, which is fixed when it is created', async () => {
      const { one, two, keeperToken: token } = stage
      const common = { kind: 'fox', password: keeper.OWNER_PASSWORD }
      const create = (terms: object) => one.request('POST', '/auth/embed', { token, body: { ...common, ...terms } })
      const { body: link } = await create({ per: 'week', tz: 'america/new_york' })
      assert.deepEqual([link.per, link.tz, link.repeat], ['week', 'America/New_York', 'yes'])
      const plain = (await create({ tz: 'Mars/Olympus' })).body
      assert.deepEqual([plain.per, 'tz' in plain], [undefined, false])
      const { links } = (await one.request('GET', '/auth/embed', { token })).body
      assert.deepEqual(links.map(({ per, tz }: Record<string, string>) => [per, tz]).slice(-2), [
        ['week', 'America/New_York'],
        [undefined, undefined],
      ])
      const path = new URL(link.url).pathname
      const shown = async (service: TestService, query = '') => (await service.request('GET', `${path}${query}`)).text
      const name = await nameOn(two, '/images/fox/random?per=week&tz=America/New_York')
      for (const service of [one, two])
        for (const query of ['', '?per=hour&tz=UTC', '?per=never'])
          assert.equal(await shown(service, query), `the bytes of ${name}`)
      assert.deepEqual(answerOf(await one.request('GET', `${path}?seed=1`)), [
        400,
        { status: 400, message: 'per cannot be combined with seed, count or repeat' },
      ])
      for (const [terms, error] of [
        [{ per: 'month' }, 'per must be one of hour, day, week'],
        [{ per: 7 }, 'per must be one of hour, day, week'],
        [{ per: 'day', tz: '+02:00' }, 'tz must be an IANA time zone such as Europe/Berlin'],
        [{ per: 'day', tz: 2 }, 'tz must be an IANA time zone such as Europe/Berlin'],
        [{ per: 'day', repeat: 'yes' }, 'per cannot be combined with repeat'],
      ] as const)
        assert.deepEqual(answerOf(await create(terms)), [400, { error }])
      await one.request('DELETE', `/auth/embed/${link.id}`, { token })
      const audit = '/admin/audit?action=revoke-embed'
      const [event] = (await one.request('GET', audit, { token })).body.events
      assert.deepEqual([event.before.per, event.before.tz], ['week', 'America/New_York'])
    })

    it('is refused with other choices and with unknown words and time zones; tz alone means nothing', async () => {
      const { one } = stage
      for (const [query, message] of [
        ['per=Day', 'per must be one of hour, day, week'],
        ['per=month', 'per must be one of hour, day, week'],
        ['per=day&tz=Mars/Olympus', 'tz must be an IANA time zone such as Europe/Berlin'],
        ['per=day&tz=%2B02:00', 'tz must be an IANA time zone such as Europe/Berlin'],
        ['per=day&tz=../x', 'tz must be an IANA time zone such as Europe/Berlin'],
        ['per=day&seed=x', 'per cannot be combined with seed, count or repeat'],
        ['per=day&count=1', 'per cannot be combined with seed, count or repeat'],
        ['per=day&repeat=yes', 'per cannot be combined with seed, count or repeat'],
      ] as const)
        for (const path of ['/images/random', '/images/fox/random'])
          assert.deepEqual(answerOf(await ask(one, `${path}?${query}`)), refused(400, message), query)
      for (const query of ['tz=Mars/Olympus', 'per=&tz=x&seed=y', 'tz='])
        assert.equal((await ask(one, `/images/fox/random?${query}`)).status, 200, query)
      const none = await ask(one, '/images/pat/random?per=day')
      assert.deepEqual(answerOf(none), refused(404, 'No pat images found in bucket'))
      const noMatch = await ask(one, '/images/fox/random?per=day&minWidth=1')
      assert.deepEqual(answerOf(noMatch), refused(404, 'No fox images match'))
    })
  })

/** Two instances on the same stores, whose clock stands still. */
function withTwo(accounts: Store) {
  const [objects] = objectStores
  assert.ok(objects)
  // The database in a file lies in the folder of the objects.
  const { place, accounts: both } = placeOf(objects, accounts === stores[0] ? null : accounts)
  const clock = fakeClock()
  const stage = { place } as {
    place: typeof place
    one: TestService
    two: TestService
    again(): Promise<TestService>
    keeperToken: string
  }
  before(async () => {
    const made = await both.make()
    const put = putInto(place.store, place.bucket)
    for (const each of [...foxes, ...birds]) await put(each, Buffer.from(`the bytes of ${each}`), { type: 'image/png' })
    const env = { ...keeper, TOKEN_TTL: '365d' }
    stage.again = () => startService({ place: made, env, overrides: { clock, images: { readsShapes: false } } })
    stage.one = await stage.again()
    stage.two = await stage.again()
    stage.keeperToken = (await stage.one.login('keeper', keeper.OWNER_PASSWORD)).body.accessToken
  })
  const ask = (service: TestService, path: string) => service.request('GET', path, { token: stage.keeperToken })
  const nameOn = async (service: TestService, path: string): Promise<string> => {
    const { status, body, text } = await ask(service, path)
    assert.equal(status, 200, text)
    return body.name
  }
  return Object.assign(stage, { ask, nameOn, clock })
}
