import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { startService } from '../support/service.ts'
import { isFullSize, sized } from '../support/size.ts'
import { aName, anAddress, clientOf, limited, ofTheContract, places, tally, times, told, tooMany } from './stage.ts'

for (const place of places) {
  describe(`Request limits, counted ${place.name}`, { skip: place.skip }, () => {
    const stage = limited(place, { RATE_LIMIT_REGISTER_SLOW_STEP_MS: '0', RATE_LIMIT_AUTH_SLOW_STEP_MS: '0' })

    const max = sized(100, 1_000)
    const small = limited(place, isFullSize ? {} : { RATE_LIMIT_GLOBAL_MAX: String(max) })

    it(`admit exactly ${max} requests of one address, however many are concurrent`, async () => {
      const { ask } = clientOf(small.service)
      assert.deepEqual(tally(await times(max + 40, () => ask('GET', '/'))), { 200: max, 429: 40 })
      const refused = await ask('GET', '/')
      assert.deepEqual([refused.status, refused.body], [429, tooMany])
      assert.equal((await clientOf(small.service).ask('GET', '/')).status, 200)
    })

    it('report on every response what remains, and when the window ends', async () => {
      const { ask } = clientOf(stage.service, anAddress())
      const paths = ['/', '/nowhere', '/images/fox/random', '/i/fox/none.jpg', '/docs.md']
      for (const [index, path] of paths.entries()) {
        const reply = await ask('GET', path)
        assert.deepEqual(told(reply), { limit: '1000', remaining: String(999 - index), retryAfter: null }, path)
        const left = Number(reply.headers.get('x-ratelimit-reset')) - Date.now() / 1000
        assert.ok(left > 60 && left <= 121, `${left} s`)
      }
    })

    it('report the scope with the fewest requests left, or the one that refuses', async () => {
      const { ask } = clientOf(stage.service)
      assert.deepEqual(told(await ask('GET', '/auth/nothing')), { limit: '50', remaining: '49', retryAfter: null })
      assert.deepEqual(told(await ask('GET', '/')), { limit: '1000', remaining: '998', retryAfter: null })
    })

    it('count every path below /auth/ in any spelling, and no other', async () => {
      const { ask } = clientOf(stage.service)
      const left = async (path: string) => told(await ask('GET', path)).remaining
      for (const [index, path] of [
        ...['/auth/x', '/%61uth/x', '/auth/%2F', '/auth/', '/auth/x?a=/b', '/auth/%zz'],
      ].entries())
        assert.equal(await left(path), String(49 - index), path)
      for (const path of ['/auth', '/AUTH/login', '//auth/login', '/authx/login', '/x/auth/login'])
        assert.ok(Number(await left(path)) > 50, path)
    })

    it('count a request in every scope that covers it, even if one refuses it', async () => {
      const { ask } = clientOf(stage.service)
      const register = () => ask('POST', '/auth/register', { body: {} })
      assert.deepEqual(tally(await times(4, register)), { 400: 3, 429: 1 })
      assert.equal(told(await ask('GET', '/auth/nothing')).remaining, '45')
      assert.equal(told(await ask('GET', '/')).remaining, '994')
    })

    it('count /i/* only in the global scope, and HEAD and OPTIONS like any request', async () => {
      const { ask } = clientOf(stage.service)
      assert.equal(told(await ask('HEAD', '/i/fox/none.jpg')).remaining, '999')
      assert.equal(told(await ask('OPTIONS', '/i/fox/none.jpg')).remaining, '998')
      assert.equal(told(await ask('OPTIONS', '/auth/register')).remaining, '49')
    })

    it('count pipelined requests, and methods without any route', async () => {
      const address = anAddress()
      const get = `GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`
      const socket = connect(stage.service.port, '127.0.0.1')
      socket.write(get.repeat(1_009) + get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
      const answers = await text(socket)
      assert.deepEqual(
        [answers.split('HTTP/1.1 200').length - 1, answers.split('HTTP/1.1 429').length - 1],
        [1_000, 10],
      )
      const connecting = connect(stage.service.port, '127.0.0.1')
      connecting.write(`CONNECT a:443 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`)
      assert.match(await text(connecting), /^HTTP\/1\.1 429 .*Retry-After: \d+\r\n.*\{"status":429,/s)
    })

    it('refuse before the token check, and count nothing for the user', async () => {
      const { ask, register } = clientOf(stage.service)
      const { body } = await register(aName())
      await times(1_000, () => ask('GET', '/health'))
      for (const token of [undefined, 'Bearer wrong', body.accessToken])
        assert.equal((await ask('GET', '/images', { token })).status, 429)
    })
  })

  describe(`Windows, counted ${place.name}`, { skip: place.skip }, () => {
    it('follow the settings; 0 disables a scope', async () => {
      const stage = await startService({
        env: {
          ...ofTheContract,
          ...place.env,
          TRUST_PROXY: 'loopback',
          RATE_LIMIT_GLOBAL_MAX: '0',
          RATE_LIMIT_AUTH_MAX: '2',
          RATE_LIMIT_AUTH_WINDOW_SECONDS: '7',
        },
      })
      const { ask } = clientOf(stage)
      assert.deepEqual(told(await ask('GET', '/')), { limit: null, remaining: null, retryAfter: null })
      assert.deepEqual(tally(await times(3, () => ask('GET', '/auth/x'))), { 404: 2, 429: 1 })
      const refused = await ask('GET', '/auth/x')
      const { limit, remaining, retryAfter } = told(refused)
      assert.deepEqual([limit, remaining], ['2', '0'])
      assert.ok(Number(retryAfter) >= 1 && Number(retryAfter) <= 7, String(retryAfter))
    })
  })
}

describe('Windows on the clock of this process', () => {
  it('end for all at once, and restart with the next request', async () => {
    const clock = fakeClock()
    const service = await startService({ env: { ...ofTheContract }, overrides: { clock } })
    const left = async () => told(await service.request('GET', '/')).remaining
    assert.equal(await left(), '999')
    clock.advance(119_999)
    assert.equal(await left(), '998')
    clock.advance(1)
    assert.equal(await left(), '999')
    clock.advance(-3_600_000)
    assert.equal(await left(), '998', 'a clock that is set back begins nothing')
  })
})
