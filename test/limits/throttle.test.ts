import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { password, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { aName, anAddress, clientOf, limited, ofTheContract, places, tally, times } from './stage.ts'

/** So long that no test waits for its end. */
const long = { RATE_LIMIT_REGISTER_SLOW_STEP_MS: '600000', RATE_LIMIT_REGISTER_SLOW_CAP_MS: '600000' }
const short = { RATE_LIMIT_AUTH_SLOW_STEP_MS: '1', RATE_LIMIT_REGISTER_SLOW_STEP_MS: '1' }

/** A register sent by hand, over a connection of its own that the test may end. */
async function startRegister(port: number, address: string, username: string) {
  const socket = connect(port, '127.0.0.1')
  const body = JSON.stringify({ username, password })
  await once(socket, 'connect')
  socket.write(
    `POST /auth/register HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

const heldOf = async (service: { request: Awaited<ReturnType<typeof startService>>['request'] }) =>
  Number(/^menagerie_held_requests (\d+)$/m.exec((await service.request('GET', '/metrics')).text)?.[1])

for (const place of places) {
  describe(`A throttled request, counted ${place.name}`, { skip: place.skip }, () => {
    const slow = limited(place, long)
    const quick = limited(place, short)

    it('is held, and then answered normally', async () => {
      const { ask } = clientOf(quick.service)
      assert.deepEqual(tally(await times(60, () => ask('GET', '/auth/nothing'))), { 404: 50, 429: 10 })
    })

    it('is not held if it is refused', async () => {
      const { ask, address } = clientOf(slow.service)
      const sockets = []
      for (const index of [1, 2, 3])
        sockets.push(await startRegister(slow.service.port, address, index === 1 ? '!' : aName()))
      await until(async () => (await heldOf(slow.service)) === 2)
      assert.equal((await ask('POST', '/auth/register', { body: { username: aName(), password } })).status, 429)
      for (const socket of sockets) socket.destroy()
      await until(async () => (await heldOf(slow.service)) === 0)
    })

    it('creates nothing and frees its place even if Node has stopped reading and cannot see the client leave', async () => {
      const { port } = slow.service
      const large = `Content-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`
      const behind = {
        'a large body': (address: string) =>
          `POST /auth/x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n${large}`,
        'many answers': () => 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40),
      }
      for (const [title, bytes] of Object.entries(behind)) {
        const address = anAddress()
        const name = aName()
        const first = await startRegister(port, address, '!')
        await once(first, 'data')
        const held = await startRegister(port, address, name)
        held.on('error', () => {})
        await until(async () => (await heldOf(slow.service)) === 1)
        held.end(bytes(address))
        await until(async () => (await heldOf(slow.service)) === 0)
        assert.equal((await clientOf(slow.service).login(name)).status, 401, title)
        held.destroy()
        first.destroy()
      }
    })

    it('creates nothing if its client leaves, and frees its place', async () => {
      const address = anAddress()
      const names = [aName(), aName()]
      const first = await startRegister(slow.service.port, address, '!')
      await once(first, 'data')
      const second = await startRegister(slow.service.port, address, names[0] as string)
      const third = await startRegister(slow.service.port, address, names[1] as string)
      await until(async () => (await heldOf(slow.service)) === 2)
      second.destroy()
      third.end()
      await until(async () => (await heldOf(slow.service)) === 0)
      for (const name of names) assert.equal((await clientOf(slow.service).login(name)).status, 401)
      first.destroy()
    })
  })
}

describe('A shutdown', () => {
  it('answers held requests with 503, at once', async () => {
    const service = await startService({ env: { ...ofTheContract, ...long } })
    const { port } = service
    await service.request('POST', '/auth/register', { body: {} })
    const held = service.request('POST', '/auth/register', { body: { username: aName(), password } })
    await until(async () => (await heldOf(service)) === 1)
    const closing = service.close()
    const { status, body, headers } = await held
    assert.deepEqual([status, body], [503, { status: 503, message: 'Service is stopping, please try again' }])
    assert.equal(headers.get('retry-after'), '1')
    await closing
    assert.ok(port > 0)
  })
})
