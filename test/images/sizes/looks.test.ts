import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import sharp from 'sharp'
import { thumbHashToAverageRGBA } from 'thumbhash'
import { mainColor } from '../../../src/drivers/sizes/child/look.ts'
import { fakeClock } from '../../support/clock.ts'
import { objectStores, putInto } from '../../support/object-stores.ts'
import { startService, type TestService } from '../../support/service.ts'
import { itInFull } from '../../support/size.ts'
import { type Store, stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { placeOf } from '../admin-stage.ts'

const keeper = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'correct horse of the keeper' }
const dayMs = 86_400_000

const of = (background: string, format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' = 'png') =>
  sharp({ create: { width: 300, height: 200, channels: 4, background } })
    .toFormat(format)
    .toBuffer()

const channelsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
const isNear = (one: readonly number[], other: readonly number[]) =>
  one.every((value, index) => Math.abs(value - (other[index] as number)) <= 6)

it('the main colour is the mean of the most frequent colours, without what is transparent', () => {
  const pixels = (...all: [number, number, number, number, number][]) =>
    Uint8Array.from(all.flatMap(([count, ...rgba]) => Array.from({ length: count }, () => rgba).flat()))
  assert.equal(mainColor(pixels([2, 250, 1, 1, 255], [3, 16, 32, 48, 255], [9, 0, 255, 0, 15])), '#102030')
  assert.equal(mainColor(pixels([1, 16, 16, 16, 255], [1, 18, 31, 16, 255], [1, 255, 0, 0, 255])), '#111810')
  assert.equal(mainColor(pixels([5, 255, 255, 255, 9])), null)
})

for (const accounts of stores)
  describe(`The colour and the thumbhash of an image on ${accounts.name}`, { skip: accounts.skip }, () => {
    const stage = withTwo(accounts)
    const { describeOn, seen } = stage

    for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const)
      (format === 'avif' ? itInFull : it)(
        `of ${format} are there once it has been decoded, on every instance, with meta=1 and in its description`,
        async () => {
          const name = `fox/red.${format}`
          await stage.upload(name, await of('#c03020', format), `image/${format}`)
          const before = await describeOn(stage.one, name)
          assert.deepEqual(['color' in before, 'thumbhash' in before], [false, false])
          const { color, thumbhash } = await seen(name, 'w=160&format=jpeg')
          assert.ok(isNear(channelsOf(color), [0xc0, 0x30, 0x20]), color)
          const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(thumbhash, 'base64'))
          assert.ok(
            isNear(
              [r, g, b, a].map((part) => part * 255),
              [0xc0, 0x30, 0x20, 255],
            ),
            thumbhash,
          )
          const { images } = (await stage.ask(stage.two, '/images/fox?meta=1')).body
          const listed = images.find((each: { name: string }) => each.name === name)
          assert.deepEqual(await describeOn(stage.two, name), listed)
          assert.deepEqual([listed.color, listed.thumbhash], [color, thumbhash])
          await stage.remove(name)
        },
      )

    it('keep what is transparent, also if the format that was asked for first cannot', async () => {
      await stage.upload('bird/half.png', await of('rgba(10, 200, 30, 0.6)'), 'image/png')
      const { color, thumbhash } = await seen('bird/half.png', 'w=160&format=jpeg')
      assert.ok(isNear(channelsOf(color), [10, 200, 30]), color)
      assert.ok(Math.abs(thumbHashToAverageRGBA(Buffer.from(thumbhash, 'base64')).a - 0.6) < 0.1)
    })

    it('end with the bytes: a replaced image has none until it is decoded again, and a deleted one leaves nothing', async () => {
      const name = 'fox/changing.png'
      await stage.upload(name, await of('#0000ff'), 'image/png')
      const blue = await seen(name, 'w=160')
      await stage.upload(name, await of('#00ff00'), 'image/png')
      assert.equal((await describeOn(stage.one, name)).color, undefined)
      const green = await seen(name, 'w=320')
      assert.deepEqual([blue.color, green.color], ['#0000ff', '#00ff00'])
      await stage.remove(name)
      assert.equal((await stage.rows()).includes(name), false)
    })

    it('of a version that cannot be decoded are none, which every instance lists while it is there', async () => {
      const name = 'fox/cut.jpg'
      const cut = (await of('#c03020', 'jpeg')).subarray(0, 200)
      const problems = async () => (await stage.ask(stage.two, '/admin/images/problems')).body.files
      await stage.upload(name, cut, 'image/jpeg')
      assert.equal((await stage.one.request('GET', `/i/${name}?w=160`)).status, 422)
      await until(async () => (await problems()).length === 1)
      assert.deepEqual(await problems(), [{ name, problem: 'undecodable' }])
      await stage.upload(name, await of('#c03020', 'jpeg'), 'image/jpeg')
      await seen(name, 'w=160')
      assert.deepEqual(await problems(), [])
      await stage.upload(name, cut, 'image/jpeg')
      await until(async () => (await problems()).length === 1)
      await stage.remove(name)
      assert.deepEqual(await problems(), [])
    })

    it('of an image that others have deleted end with a later listing', async () => {
      const name = 'fox/elsewhere.png'
      await stage.upload(name, await of('#123456'), 'image/png')
      await seen(name, 'w=160')
      const cut = 'fox/cut-elsewhere.jpg'
      await stage.upload(cut, (await of('#123456', 'jpeg')).subarray(0, 200), 'image/jpeg')
      assert.equal((await stage.one.request('GET', `/i/${cut}?w=160`)).status, 422)
      await until(async () => (await stage.rows()).includes(cut))
      const replaced = 'fox/cut-before.jpg'
      await stage.upload(replaced, (await of('#123456', 'jpeg')).subarray(0, 200), 'image/jpeg')
      assert.equal((await stage.one.request('GET', `/i/${replaced}?w=160`)).status, 422)
      await until(async () => (await stage.rows()).includes(replaced))
      await stage.upload(replaced, await of('#123456', 'jpeg'), 'image/jpeg')
      for (const each of [name, cut]) await stage.place.store.remove({ bucket: stage.place.bucket, name: each })
      stage.clock.advance(dayMs)
      const three = await stage.again()
      await until(async () => !(await stage.rows()).some((each) => [name, cut, replaced].includes(each)))
      await three.close()
    })
  })

/** Two instances on the same stores. */
function withTwo(accounts: Store) {
  const [objects] = objectStores
  assert.ok(objects)
  const { place, accounts: both } = placeOf(objects, accounts === stores[0] ? null : accounts)
  const clock = fakeClock()
  const stage = { place, clock } as {
    place: typeof place
    clock: typeof clock
    one: TestService
    two: TestService
    again(): Promise<TestService>
    rows(): Promise<string[]>
    token: string
  }
  before(async () => {
    const made = await both.make()
    for (const name of ['fox/a.png', 'bird/a.png'])
      await putInto(place.store, place.bucket)(name, await of('#808080'), { type: 'image/png' })
    const resizer = { timeoutMs: 100_000 }
    stage.again = () =>
      startService({ place: made, env: { ...keeper, TOKEN_TTL: '365d' }, overrides: { clock, images: { resizer } } })
    stage.one = await stage.again()
    stage.two = await stage.again()
    const database = await made.open()
    stage.rows = async () =>
      (
        await Promise.all([
          database.kysely.selectFrom('image_looks').select('name').execute(),
          database.kysely.selectFrom('undecodable_images').select('name').execute(),
        ])
      )
        .flat()
        .map(({ name }) => name)
    stage.token = (await stage.one.login('keeper', keeper.OWNER_PASSWORD)).body.accessToken
  })
  const ask = (service: TestService, path: string) => service.request('GET', path, { token: stage.token })
  const describeOn = async (service: TestService, name: string) => (await ask(service, `/images/${name}`)).body
  /** Decodes it, and waits for its look. */
  const seen = async (name: string, size: string) => {
    const { status, text } = await stage.one.request('GET', `/i/${name}?${size}`)
    assert.equal(status, 200, text)
    await until(async () => 'color' in (await describeOn(stage.one, name)))
    return describeOn(stage.one, name)
  }
  const upload = async (name: string, bytes: Buffer, type: string) => {
    const path = `/admin/s3/upload?bucketName=${place.bucket}&objectName=${name}`
    const reply = await stage.one.request('POST', path, {
      token: stage.token,
      headers: { 'content-type': type },
      body: bytes,
    })
    assert.equal(reply.status, 200, reply.text)
  }
  const remove = async (name: string) => {
    const body = { bucketName: place.bucket, objectName: name }
    const reply = await stage.one.request('DELETE', '/admin/s3/delete', { token: stage.token, body })
    assert.equal(reply.status, 200, reply.text)
  }
  return Object.assign(stage, { ask, describeOn, seen, upload, remove })
}
