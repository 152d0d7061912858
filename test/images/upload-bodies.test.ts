import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { ask, chunked, type Head, head, Wire } from '../http/wire.ts'
import { objectStores } from '../support/object-stores.ts'
import { refused } from '../support/people.ts'
import { startService } from '../support/service.ts'
import { until, watchWrites, withImages } from './admin-stage.ts'

const most = 300_000
const md5 = (bytes: string) => createHash('md5').update(bytes).digest('hex')
const tooLarge = refused(413, 'Request body is too large')
const late = refused(408, 'Request was not received in time')
const old = 'the old bytes'
const health = head('GET', '/health')
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

for (const objects of objectStores) {
  describe(`The body of an upload, ${objects.name}`, { skip: objects.skip }, () => {
    const watched = watchWrites()
    const images = withImages(objects, {
      env: { UPLOAD_MAX_BYTES: String(most) },
      overrides: { images: { store: watched.store } },
    })
    const { stage, owner, upload, uploadPath, get } = images
    const headOf = (name: string, headers: Head, bucket?: string) =>
      head('POST', uploadPath(name, bucket), { token: owner.token, 'Content-Type': 'image/png', ...headers })
    const inChunks = { 'Transfer-Encoding': 'chunked' }
    const ofLength = (length: number) => ({ 'Content-Length': length })
    const dial = (t: TestContext) => {
      const wire = new Wire(stage.service.port)
      t.after(() => wire.close())
      return wire
    }
    const gone = () => stage.service.logged().filter(({ status }) => status === 499).length

    const assertNothingLeft = async (name: string) => {
      assert.deepEqual(images.temporary(), [])
      assert.equal(Object.hasOwn(await images.objects(), name), false)
      assert.equal((await get(`/i/${name}`)).status, 404)
      assert.deepEqual(await images.pool(name.split('/')[0] ?? ''), [])
    }

    it('may have exactly UPLOAD_MAX_BYTES, with a length or chunked', async () => {
      const body = 'x'.repeat(most)
      const answers = [
        await ask(stage.service.port, headOf('bird/length.png', ofLength(most)) + body),
        await ask(stage.service.port, headOf('bird/chunks.png', inChunks) + chunked(body)),
        await ask(stage.service.port, headOf('bird/cut.png', inChunks) + chunked(body.slice(9), body.slice(0, 9))),
      ]
      for (const { status, json } of answers) assert.deepEqual([status, json.etag], [200, md5(body)])
    })

    it('with one byte more is refused by its length, before it is read', async (t) => {
      const before = watched.writes.length
      const wire = dial(t).send(headOf('fox/more.png', ofLength(most + 1)))
      const { status, json } = await wire.answer()
      assert.deepEqual([status, json], tooLarge)
      assert.equal(watched.writes.length, before)
      await assertNothingLeft('fox/more.png')
    })

    for (const [title, parts] of Object.entries({
      'in one chunk': ['x'.repeat(most + 1)],
      'in the last chunk': ['x'.repeat(most), 'x'],
      'in the first chunk': ['x', 'x'.repeat(most)],
    })) {
      it(`with one byte more ${title} is refused where it exceeds the limit, and nothing is stored`, async (t) => {
        const wire = dial(t).send(headOf('fox/more.png', inChunks) + chunked(...parts))
        const { status, json, headers } = await wire.answer()
        assert.deepEqual([status, json], tooLarge)
        await assertNothingLeft('fox/more.png')
        if (headers.connection === 'close') assert.equal((await wire.toTheEnd()).length, 1)
        else assert.equal((await wire.send(health).answers(2))[1]?.status, 200)
      })
    }

    it('that never ends is refused at the limit, and its connection closed', async (t) => {
      const wire = dial(t)
      wire.send(headOf('fox/endless.png', inChunks))
      let isOver = false
      const over = wire.toTheEnd().finally(() => {
        isOver = true
      })
      while (!isOver) {
        wire.send(chunk('x'.repeat(10_000)))
        await new Promise((resolve) => setImmediate(resolve))
      }
      const answers = await over
      assert.deepEqual(
        answers.map(({ status, json }) => [status, json]),
        [tooLarge],
      )
      const last = watched.writes.at(-1)
      assert.ok(last?.isSettled && last.taken <= most, String(last?.taken))
      await assertNothingLeft('fox/endless.png')
    })

    it('that goes on after its length is the next request on the connection', async (t) => {
      const wire = dial(t).send(`${headOf('hug/next.png', ofLength(5))}bytes${health}`)
      const answers = await wire.answers(2)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      assert.equal((await get('/i/hug/next.png')).text, 'bytes')
    })

    const whole = 'y'.repeat(50_000)
    const cuts: Record<string, readonly [Head, string, number]> = {
      'before its first byte': [ofLength(50_000), '', 0],
      'after its first byte': [ofLength(50_000), 'y', 1],
      'in the middle': [ofLength(50_000), whole.slice(25_000), 25_000],
      'before its last byte': [ofLength(50_000), whole.slice(1), 49_999],
      'within a chunk': [inChunks, `ffff\r\n${whole}`, 50_000],
      'between two chunks': [inChunks, chunk(whole), 50_000],
      'before the end of its last, empty chunk': [inChunks, `${chunk(whole)}0\r\n`, 50_000],
    }
    for (const [title, [headers, sent, taken]] of Object.entries(cuts)) {
      for (const before of ['an object', 'none']) {
        it(`cut off ${title} leaves ${before} where ${before} was`, async (t) => {
          if (before === 'none') await images.remove({ bucketName: images.place.bucket, objectName: 'shibe/cut.png' })
          else await upload('shibe/cut.png', old)
          const [wire, already, left] = [dial(t), watched.writes.length, gone()]
          wire.send(headOf('shibe/cut.png', headers) + sent)
          const isWaiting = () => watched.writes[already]?.taken === taken && watched.writes[already].isWaiting
          await until(isWaiting)
          wire.close()
          await until(() => gone() === left + 1)
          assert.equal(watched.writes[already]?.isSettled, true)
          assert.deepEqual(images.temporary(), [])
          const { status, text } = await get('/i/shibe/cut.png')
          assert.deepEqual([status, status === 200 && text], before === 'none' ? [404, false] : [200, old])
          assert.deepEqual(await images.pool('shibe'), before === 'none' ? [] : ['shibe/cut.png'])
        })
      }
    }

    it('with invalid chunks is 400, leaves the old object and closes the connection', async (t) => {
      await upload('kiss/old.png', old)
      for (const badResponse of [
        'zz\r\n',
        '-1\r\nx',
        `${chunk('new')}x\r\n`,
        'fffffffffffffffff\r\n',
        '3\r\nnewest\r\n',
      ]) {
        const answers = await dial(t)
          .send(headOf('kiss/old.png', inChunks) + badResponse)
          .toTheEnd()
        assert.deepEqual(
          answers.map(({ status }) => status),
          [400],
          badResponse,
        )
        await until(() => watched.writes.every(({ isSettled }) => isSettled))
        assert.deepEqual(images.temporary(), [])
        assert.equal((await get('/i/kiss/old.png')).text, old)
      }
    })

    it('that stalls for 30 s is refused, leaves the old object and closes the connection', async (t) => {
      await upload('pat/late.png', old)
      for (const [headers, body] of [
        [ofLength(10), 'bytes'],
        [inChunks, chunk('bytes')],
      ] as const) {
        const already = watched.writes.length
        const wire = dial(t)
        t.mock.timers.enable({ apis: ['setTimeout'] })
        wire.send(headOf('pat/late.png', { ...headers, Expect: '100-continue' }))
        assert.equal((await wire.answer()).status, 100)
        wire.send(body)
        const isWaiting = () => watched.writes[already]?.taken === 5 && watched.writes[already].isWaiting
        await until(isWaiting)
        t.mock.timers.tick(29_999)
        assert.equal((await get('/health')).status, 200)
        assert.equal(watched.writes[already]?.isSettled, false)
        t.mock.timers.tick(1)
        const [, answer, ...more] = await wire.toTheEnd()
        t.mock.timers.reset()
        assert.deepEqual([answer?.status, answer?.json, more], [...late, []])
        assert.deepEqual(images.temporary(), [])
        assert.equal((await get('/i/pat/late.png')).text, old)
      }
    })

    const refusals: Record<string, readonly [number, (headers: Head) => string]> = {
      'without a token': [401, (headers) => headOf('slap/no.png', { ...headers, token: undefined })],
      'without parameters': [
        400,
        (headers) => head('POST', '/admin/s3/upload', { token: owner.token, 'Content-Type': 'image/png', ...headers }),
      ],
      'of another type': [400, (headers) => headOf('slap/no.png', { ...headers, 'Content-Type': 'text/html' })],
      'with a bad name': [400, (headers) => headOf('../no.png', headers)],
      'that is compressed': [415, (headers) => headOf('slap/no.png', { ...headers, 'Content-Encoding': 'gzip' })],
      'into no bucket': [404, (headers) => headOf('slap/no.png', headers, 'nowhere')],
    }
    for (const [title, [status, make]] of Object.entries(refusals)) {
      for (const [how, headers, pieces] of [
        ['with a length', ofLength(most), ['x'.repeat(10), 'x'.repeat(most - 10)]],
        ['in chunks', inChunks, [chunk('x'.repeat(10)), chunk('x'.repeat(most - 10)), '0\r\n\r\n']],
      ] as const) {
        it(`${title}, ${how}, is read off the connection, which stays usable`, async (t) => {
          const [first, ...rest] = pieces
          const wire = dial(t).send(make(headers) + first)
          assert.equal((await wire.answer()).status, status)
          const [, next] = await wire.send(rest.join('') + health).answers(2)
          assert.equal(next?.status, 200)
          await assertNothingLeft('slap/no.png')
        })
      }
    }
  })
}

describe('Without a setting', () => {
  it('an upload has at most 20 MiB', async () => {
    const service = await startService({ env: { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: 'correct horse battery' } })
    const token = (await service.login('olivia')).body.accessToken
    const path = '/admin/s3/upload?bucketName=images&objectName=fox/a.png'
    const asked = (length: number) =>
      ask(
        service.port,
        head('POST', path, { token, 'Content-Type': 'image/png', 'Content-Length': length, Expect: '100-continue' }),
      )
    assert.equal((await asked(20_971_520)).status, 100)
    assert.equal((await asked(20_971_521)).status, 413)
  })
})
