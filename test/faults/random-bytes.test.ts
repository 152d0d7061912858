import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf } from '../support/people.ts'
import type { Filter } from '../support/scripted-s3.ts'
import { seedOr } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { assertUniform, seededRandom } from '../support/uniform.ts'
import { until } from '../support/until.ts'
import { startOver, textOf } from './away-stage.ts'

const notFound = [404, { message: 'Image not found', stack: 'N/A' }]
const foxes = ['fox/a.png', 'fox/b.png', 'fox/c.png']
const bytesPath = '/images/fox/random?as=bytes'
const nothingHeld = { env: { IMAGE_CACHE_BYTES: '0' } }
const ofObjects: Filter = ({ operation }) => operation === 'get' || operation === 'head'

/** Ends when a test says so, unless the signal did before. */
const deadlineAt = (deadline: Promise<void>) => (ms: number, signal: AbortSignal) =>
  ms === 2_000
    ? new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', reject)
        deadline.then(resolve)
      })
    : Promise.resolve()

/** No pause between two draws, and no deadline. */
const untimed = (ms: number) => (ms === 2_000 ? new Promise(() => {}) : Promise.resolve())

const times = <T>(count: number, act: () => Promise<T>) => Array.fromAsync(Array.from({ length: count }), act)

describe('as=bytes while the store is down', () => {
  it('serves images in memory of the requested kinds', async () => {
    const here = await startOver([...foxes, 'bird/a.png', 'bird/b.png'], { random: seededRandom(seedOr(7)) })
    const held = ['fox/a.png', 'fox/b.png', 'bird/a.png']
    await here.hold(...held)
    await here.s3.stop()
    here.clock.advance(3_600_000)
    for (const [path, served] of [
      [bytesPath, ['fox/a.png', 'fox/b.png']],
      ['/images/random?as=bytes&kinds=fox,bird', held],
      ['/images/random?as=bytes', held],
    ] as const) {
      const replies = await times(sized(30, 60), () => here.get(path))
      assert.deepEqual(
        replies.filter(({ status }) => status !== 200).map(({ status, text }) => [status, text]),
        [],
        path,
      )
      assert.deepEqual([...new Set(replies.map(({ text }) => text))].sort(), served.map(textOf).sort(), path)
      for (const { headers } of replies) assert.equal(headers.get('cache-control'), 'no-store')
    }
    const heads = await times(10, () => here.get(bytesPath, 'HEAD'))
    assert.deepEqual(
      heads.map(({ status, headers, text }) => [status, headers.get('content-length'), text]),
      heads.map(() => [200, String(textOf('fox/a.png').length), '']),
    )
  })

  it('serves the same image again for a seed', async () => {
    const here = await startOver(foxes)
    await here.hold('fox/a.png', 'fox/b.png')
    await here.s3.stop()
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const [one, other] = await times(2, () => here.get(`${bytesPath}&seed=${seed}`))
      assert.deepEqual([one?.status, one?.text], [200, other?.text], seed)
    }
  })

  it('answers 404 without images in memory once each name was tried', async () => {
    const here = await startOver(foxes, { sleep: untimed })
    here.s3.always({ kind: 'status', status: 403 }, ofObjects)
    for (const method of ['GET', 'HEAD']) {
      const before = here.s3.requests.length
      const reply = await here.get(bytesPath, method)
      assert.deepEqual(
        [reply.status, method === 'HEAD' || reply.body.message],
        [404, method === 'HEAD' || 'Image not found'],
      )
      const asked = here.s3.requests.slice(before).filter(ofObjects)
      assert.deepEqual(asked.map(({ key }) => key).sort(), foxes)
    }
    const logged = here.service.logged().filter(({ msg }) => msg === 'an image could not be served')
    assert.equal(logged.length, 2, 'one line a request')
  })
})

describe('as=bytes while the store fails some images', () => {
  for (const method of ['GET', 'HEAD'])
    it(`finds the remaining image by ${method}, and requests none twice`, async () => {
      const here = await startOver([...foxes, 'fox/d.png'], { ...nothingHeld, sleep: untimed })
      const good = 'fox/c.png'
      here.s3.always({ kind: 'status', status: 403 }, (asked) => ofObjects(asked) && asked.key !== good)
      for (let turn = 0; turn < sized(10, 40); turn++) {
        const before = here.s3.requests.length
        const { status, text } = await here.get(bytesPath, method)
        assert.deepEqual([status, text], [200, method === 'HEAD' ? '' : textOf(good)])
        const asked = here.s3.requests
          .slice(before)
          .filter(ofObjects)
          .map(({ key }) => key)
        assert.equal(new Set(asked).size, asked.length, asked.join())
      }
    })

  it('also finds with repeat=no the one image that can be served, wherever a round ends', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `fox/${name}.png`)
    const here = await startOver(names, { ...nothingHeld, sleep: untimed })
    here.s3.always({ kind: 'status', status: 403 }, (request) => ofObjects(request) && request.key !== 'fox/c.png')
    for (let turn = 0; turn < 12; turn++) {
      const { status, text } = await here.get(`${bytesPath}&repeat=no`)
      assert.deepEqual([status, text], [200, textOf('fox/c.png')])
    }
  })

  it('skips deleted images without a pause, and removes them from the list', async () => {
    const pauses: number[] = []
    const sleep = (ms: number) => untimed(ms === 2_000 ? ms : pauses.push(ms))
    const names = Array.from({ length: 30 }, (_, index) => `fox/${index + 10}.png`)
    const here = await startOver(names, { ...nothingHeld, sleep })
    for (const name of names.slice(1)) here.s3.objects.get('images')?.delete(name)
    for (let turn = 0; turn < sized(20, 60); turn++)
      assert.equal((await here.get(bytesPath)).text, textOf('fox/10.png'))
    assert.deepEqual(pauses, [])
    await until(async () => (await here.listed('fox')).length === 1)
    here.s3.objects.get('images')?.delete('fox/10.png')
    assert.deepEqual(answerOf(await here.get(bytesPath)), notFound)
    assert.equal((await here.get(bytesPath)).body.message, 'No fox images found in bucket')
  })

  it('backs off between failures', async () => {
    const pauses: number[] = []
    const sleep = (ms: number) => untimed(ms === 2_000 ? ms : pauses.push(ms))
    const names = Array.from({ length: 6 }, (_, index) => `fox/${index}.png`)
    const here = await startOver(names, { ...nothingHeld, sleep, random: () => 0.5 })
    here.s3.always({ kind: 'status', status: 403 }, ofObjects)
    assert.deepEqual(answerOf(await here.get(bytesPath)), notFound)
    assert.deepEqual(pauses, [50, 100, 200, 400, 800])
  })

  it('gives up after 2 s, and releases the store', async () => {
    const deadline = Promise.withResolvers<void>()
    const here = await startOver(foxes, {
      ...nothingHeld,
      sleep: deadlineAt(deadline.promise),
    })
    here.s3.next({ kind: 'status', status: 403 }, ofObjects)
    here.s3.always({ kind: 'silent' }, ofObjects)
    const silent = here.s3.arrival(ofObjects)
    const reply = here.get(bytesPath)
    await silent
    await here.s3.arrival(ofObjects)
    deadline.resolve()
    assert.deepEqual(answerOf(await reply), notFound)
    await until(() => here.s3.inFlight === 0)
  })

  it('keeps sending an image beyond those 2 s', async () => {
    const deadline = Promise.withResolvers<void>()
    const large = Buffer.alloc(9_000_000, 'fox')
    const here = await startOver(['fox/a.png', 'fox/b.png'], {
      sleep: deadlineAt(deadline.promise),
    })
    for (const name of ['fox/a.png', 'fox/b.png']) here.s3.put('images', name, large, { type: 'image/png' })
    here.s3.next({ kind: 'status', status: 403 }, ofObjects)
    const reply = await fetch(`${here.service.url}${bytesPath}`, { headers: { authorization: here.token } })
    deadline.resolve()
    assert.equal(reply.status, 200)
    assert.ok(large.equals(Buffer.from(await reply.arrayBuffer())))
  })
})

it('as=bytes chooses all images equally often without failures', async () => {
  const here = await startOver(foxes, { random: seededRandom(seedOr(11)) })
  const replies = await times(sized(60, 300), () => here.get(bytesPath))
  assertUniform(
    replies.map(({ text }) => text),
    foxes.map(textOf),
  )
})
