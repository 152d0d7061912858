import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { type Person, type Reply, type RequestOptions, startService, type TestService } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { placeOf } from './admin-stage.ts'
import { answerOf, refused } from './image-stage.ts'

const foxes = Array.from({ length: 12 }, (_, index) => `fox/${index}.png`)
const birds = Array.from({ length: 5 }, (_, index) => `bird/${index}.png`)
const sortedOf = (names: readonly string[]) => [...names].sort()
const leftOf = ({ headers }: Reply) => headers.get('x-images-remaining')
const keeper = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'correct horse of the keeper' }

for (const accounts of stores)
  describe(`A walk with repeat=no on ${accounts.name}`, { skip: accounts.skip }, () => {
    const stage = withFoxes(accounts)
    const { people, ask, names, flush } = stage

    it('shows each image of a kind once in each round, counts what is left, and takes a new order each time', async () => {
      const person = await people()
      const rounds: string[][] = []
      for (let round = 0; round < 3; round++) {
        const replies: Reply[] = []
        for (let index = 0; index < foxes.length; index++)
          replies.push(await ask(person, '/images/fox/random?repeat=no'))
        assert.deepEqual(
          replies.map(leftOf),
          foxes.map((_, index) => String(foxes.length - 1 - index)),
        )
        rounds.push(replies.map(({ body }) => body.name))
      }
      for (const round of rounds) assert.deepEqual(sortedOf(round), sortedOf(foxes))
      assert.equal(new Set(rounds.map((round) => round.join())).size, 3)
      const other = await names(await people(), foxes.length)
      assert.notDeepEqual(other, rounds[0])
      const plain = await ask(person, '/images/fox/random?repeat=yes')
      assert.deepEqual([plain.status, leftOf(plain)], [200, null])
    })

    it("continues in any form, with concurrent requests, and with any of the user's API keys", async () => {
      const person = await people()
      const terms = { name: 'bot', scopes: ['images'] }
      const { key } = (await stage.one.request('POST', '/auth/keys', { token: person.accessToken, body: terms })).body
      const path = '/images/fox/random?repeat=no'
      const [json, text, redirect, bytes, keyed, list] = await Promise.all([
        ask(person, path),
        ask(person, `${path}&as=text`),
        ask(person, `${path}&as=redirect`),
        ask(person, `${path}&as=bytes`),
        stage.one.request('GET', path, { headers: { 'x-api-key': key } }),
        ask(person, `${path}&count=4`),
      ])
      const nameIn = (url: string) => url.trim().split('/i/')[1]
      const seen = [
        json.body.name,
        nameIn(text.text),
        nameIn(String(redirect.headers.get('location'))),
        bytes.text.replace('the bytes of ', ''),
        keyed.body.name,
        ...list.body.images.map((image: { name: string }) => image.name),
      ]
      assert.deepEqual([new Set(seen).size, seen.every((each) => foxes.includes(each))], [9, true])
      assert.ok([json, text, redirect, bytes, keyed, list].map(leftOf).includes('3'))
      const rest = await names(person, 3)
      assert.deepEqual(sortedOf([...seen, ...rest]), sortedOf(foxes))
    })

    it('gives count distinct images across the end of a round, and all of them once if there are fewer', async () => {
      const person = await people()
      await names(person, 9)
      for (let turn = 0; turn < 6; turn++) {
        const reply = await ask(person, '/images/fox/random?repeat=no&count=7')
        const found = reply.body.images.map((image: { name: string }) => image.name)
        assert.equal(new Set(found).size, 7)
      }
      const all = (await ask(person, '/images/fox/random?repeat=no&count=30')).body.images
      assert.deepEqual(sortedOf(all.map((image: { name: string }) => image.name)), sortedOf(foxes))
    })

    it('shows every image of several kinds once, and what was seen of one kind alone counts', async () => {
      const person = await people()
      const seen = await names(person, 4)
      const path = '/images/random?kinds=bird,fox&repeat=no'
      const first = await ask(person, path)
      assert.equal(leftOf(first), '12')
      for (let index = 0; index < 12; index++) seen.push((await ask(person, path)).body.name)
      assert.deepEqual(sortedOf([...seen, first.body.name]), sortedOf([...foxes, ...birds]))
      const next = [await ask(person, '/images/random?repeat=no')]
      assert.equal(leftOf(next[0] as Reply), '16')
      for (let index = 0; index < 16; index++) next.push(await ask(person, path))
      assert.deepEqual(sortedOf(next.map(({ body }) => body.name)), sortedOf([...foxes, ...birds]))
      const none = await ask(person, '/images/pat/random?repeat=no')
      assert.deepEqual(answerOf(none), refused(404, 'No pat images found in bucket'))
      assert.equal(leftOf(none), null)
    })

    it('does not count a HEAD as seen, and refuses a seed and other values', async () => {
      const person = await people()
      const head = await ask(person, '/images/fox/random?repeat=no&as=bytes', 'HEAD')
      const shown = await ask(person, '/images/fox/random?repeat=no&as=bytes')
      assert.deepEqual([head.headers.get('etag'), leftOf(head)], [shown.headers.get('etag'), '11'])
      assert.deepEqual(
        answerOf(await ask(person, '/images/fox/random?repeat=no&seed=x')),
        refused(400, 'seed cannot be combined with repeat=no'),
      )
      for (const value of ['No', 'never', '2', 'no,no', '%00', '__proto__'])
        assert.deepEqual(
          answerOf(await ask(person, `/images/random?repeat=${value}`)),
          refused(400, 'repeat must be one of yes, no'),
        )
      assert.equal((await ask(person, '/images/fox/random?repeat=&seed=x')).status, 200)
    })

    it('shows what was uploaded, replaced, deleted and hidden by the very next request', async () => {
      const person = await people()
      const token = stage.keeperToken
      const hug = async () => ask(person, '/images/hug/random?repeat=no')
      const change = async (method: string, path: string, name: string, body: string | null) => {
        const query = `bucketName=${stage.place.bucket}&objectName=${name}`
        const headers = { 'content-type': 'image/png' }
        const sent = { token, ...(body && { headers, body }) }
        const reply = await stage.one.request(method, `/admin/s3/${path}?${query}`, sent)
        assert.equal(reply.status, 200, reply.text)
      }
      const hugs = Array.from({ length: 20 }, (_, index) => `hug/${index}.png`)
      for (const each of hugs) await change('POST', 'upload', each, 'first')
      const seen = new Set<string>()
      for (let index = 0; index < 9; index++) seen.add((await hug()).body.name)
      const [replaced, deleted, hidden] = hugs.filter((each) => !seen.has(each))
      assert.ok(replaced && deleted && hidden)
      await change('POST', 'upload', replaced, 'second')
      await change('DELETE', 'delete', deleted, null)
      const report = (path: string, body: object) => stage.one.request('POST', path, { token, body })
      await report('/images/report', { name: hidden, reason: 'No hug' })
      const [{ id }] = (await stage.one.request('GET', '/admin/reports', { token })).body.reports
      assert.equal((await report(`/admin/reports/${id}/resolve`, { action: 'hide' })).status, 200)
      const rest = []
      for (let index = 0; index < 9; index++) rest.push(await hug())
      assert.deepEqual(rest.map(leftOf), ['8', '7', '6', '5', '4', '3', '2', '1', '0'])
      for (const { body } of rest) {
        assert.ok(body.name !== deleted && body.name !== hidden && !seen.has(body.name))
        assert.equal(body.size, body.name === replaced ? 'second'.length : 'first'.length)
      }
    })

    it('continues after a restart, and on another instance a second later', async () => {
      const person = await people()
      const seen = await names(person, 3)
      await flush()
      const two = await stage.again()
      const on = async (service: TestService) => {
        // For as long as an instance trusts the position that it knows.
        stage.clock.advance(100)
        const reply = await service.request('GET', '/images/fox/random?repeat=no', { token: person.accessToken })
        seen.push(reply.body.name)
        await flush(service)
      }
      for (let turn = 0; turn < 4; turn++) for (const service of [two, stage.one]) await on(service)
      await two.close()
      await on(await stage.again())
      assert.deepEqual(sortedOf(seen), sortedOf(foxes))
    })

    it('saves a few bytes, at most once a second, and nothing of users and links that are gone', async () => {
      const [person, leaver] = [await people(), await people()]
      const link = await create(stage.one, leaver, { kind: 'fox', repeat: 'no' })
      await stage.one.request('GET', pathOf(link))
      await names(leaver, 2)
      await flush()
      const rowsOf = ({ id }: Person) =>
        stage.database().kysely.selectFrom('walks').selectAll().where('user_id', '=', id).execute()
      assert.deepEqual(
        (await rowsOf(leaver)).map((row) => row.name).sort(),
        [`${leaver.id} fox`, `${link.id} fox`].sort(),
      )
      await names(leaver, 2)
      await stage.one.request('DELETE', `/auth/embed/${link.id}`, { token: leaver.accessToken })
      await until(async () => (await rowsOf(leaver)).length === 1)
      await names(leaver, 1)
      await stage.one.request('POST', '/auth/delete', {
        token: leaver.accessToken,
        body: { password: leaver.password },
      })
      await flush()
      assert.deepEqual(await rowsOf(leaver), [])
      await names(person, 3)
      await flush()
      const [row] = await rowsOf(person)
      await names(person, foxes.length)
      await flush()
      const [later, ...others] = await rowsOf(person)
      assert.deepEqual(others, [])
      assert.ok(row && later && later.round > row.round)
      assert.ok(JSON.stringify(later).length < 250)
    })

    it('of an embed link is separate, shows its count to pages of any origin, and a seed still pins one image', async () => {
      const person = await people()
      const link = await create(stage.one, person, { kinds: 'fox', repeat: 'no' })
      const [again, plain] = [
        await create(stage.one, person, { kind: 'fox', repeat: 'yes' }),
        await create(stage.one, person, { kind: 'fox' }),
      ]
      assert.deepEqual([link.repeat, again.repeat, plain.repeat], ['no', 'yes', 'yes'])
      const listed = (await stage.one.request('GET', '/auth/embed', { token: person.accessToken })).body.links
      assert.deepEqual(
        listed.map(({ repeat }: { repeat: string }) => repeat),
        ['no', 'yes', 'yes'],
      )
      await names(person, 5)
      const seen: string[] = []
      for (let index = 0; index < foxes.length; index++) {
        const reply = await stage.one.request('GET', pathOf(link) + (index % 2 ? '' : '?as=redirect'))
        const { headers } = reply
        assert.deepEqual(
          [leftOf(reply), headers.get('access-control-expose-headers'), headers.get('access-control-allow-origin')],
          [
            String(foxes.length - 1 - index),
            index % 2 ? 'Content-Location, X-Images-Remaining' : 'X-Images-Remaining',
            '*',
          ],
        )
        seen.push(headers.get('location')?.split('/i/')[1] ?? reply.text.replace('the bytes of ', ''))
        const pinned = await stage.one.request('GET', `${pathOf(link)}?seed=1`)
        assert.deepEqual([pinned.status, leftOf(pinned)], [200, null])
      }
      assert.deepEqual(sortedOf(seen), sortedOf(foxes))
      assert.equal(leftOf(await stage.one.request('GET', pathOf(plain))), null)
    })
  })

interface LinkReply {
  readonly id: string
  readonly url: string
  readonly repeat: string
}

const pathOf = ({ url }: LinkReply) => new URL(url).pathname

async function create(service: TestService, { accessToken: token }: Person, body: object): Promise<LinkReply> {
  const reply = await service.request('POST', '/auth/embed', { token, body })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** A service with foxes and birds, whose clock stands still. */
function withFoxes(accounts: Store) {
  const [objects] = objectStores
  assert.ok(objects)
  // The database in a file lies in the folder of the objects.
  const { place, accounts: both } = placeOf(objects, accounts === stores[0] ? null : accounts)
  const clock = fakeClock()
  const stage = { clock, place } as {
    clock: typeof clock
    place: typeof place
    one: TestService
    again(): Promise<TestService>
    database(): Awaited<ReturnType<Awaited<ReturnType<Store['make']>>['open']>>
    keeperToken: string
  }
  before(async () => {
    const made = await both.make()
    const put = putInto(place.store, place.bucket)
    for (const each of [...foxes, ...birds]) await put(each, Buffer.from(`the bytes of ${each}`), { type: 'image/png' })
    const database = await made.open()
    stage.database = () => database
    stage.again = () => startService({ place: made, env: keeper, overrides: { clock, images: { readsShapes: false } } })
    stage.one = await stage.again()
    stage.keeperToken = (await stage.one.login('keeper', keeper.OWNER_PASSWORD)).body.accessToken
  })
  let count = 0
  const people = () => stage.one.register(`person-${++count}`)
  const ask = ({ accessToken: token }: Person, path: string, method = 'GET', options: RequestOptions = {}) =>
    stage.one.request(method, path, { token, ...options })
  const name = async (person: Person): Promise<string> => (await ask(person, '/images/fox/random?repeat=no')).body.name
  const names = async (person: Person, size: number) => {
    const all: string[] = []
    while (all.length < size) all.push(await name(person))
    return all
  }
  /** As the journal does once a second. */
  const flush = async (service = stage.one) => {
    const reply = await service.request('GET', '/admin/users/dashboard?limit=1', { token: stage.keeperToken })
    assert.equal(reply.status, 200, reply.text)
  }
  return Object.assign(stage, { people, ask, names, flush })
}
