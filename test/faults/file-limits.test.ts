import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { end, start } from '../support/killed-service.ts'
import { clientOf } from '../support/owner-client.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const skip = process.platform !== 'linux' && 'prlimit is of Linux'

async function limited(limit: string) {
  const dataDir = testFolder()
  const api = await start(dataDir, ['prlimit', limit])
  atEnd(() => end(api))
  return { dataDir, api, client: await clientOf(api) }
}

describe('A limit on the size of files', { skip }, () => {
  it('refuses larger uploads, which leave nothing, and nothing else', async () => {
    const { dataDir, api, client } = await limited('--fsize=10485760')
    const small = randomBytes(9_000_000)
    assert.equal((await client.upload('fox/small.png', small)).status, 200)
    for (let turn = 0; turn < 3; turn++) {
      const { status, text } = await client.upload('fox/large.png', randomBytes(12_000_000))
      assert.deepEqual([status, JSON.parse(text).message], [500, 'Error uploading object'])
      assert.equal((await client.image('fox/large.png')).status, 404)
      assert.equal((await client.register(`somebody-${turn}`)).status, 201)
    }
    assert.ok((await client.image('fox/small.png')).bytes.equals(small))
    assert.deepEqual(readdirSync(join(dataDir, 'objects/.temporary')), [])
    await until(client.isReady)
    assert.equal(api.child.exitCode, null)
  })
})

describe('A limit on file descriptors', { skip }, () => {
  const max = 80

  it('that 200 clients use up ends no process, which serves again as soon as they leave', async () => {
    const { api, client } = await limited(`--nofile=${max}`)
    const image = randomBytes(5_000)
    assert.equal((await client.upload('fox/a.png', image)).status, 200)
    const open = () => readdirSync(`/proc/${api.child.pid}/fd`).length
    for (let turn = 0; turn < 3; turn++) {
      const { port } = new URL(api.url)
      const sockets = Array.from({ length: 200 }, () => {
        const socket = connect({ port: Number(port), host: '127.0.0.1' }).on('error', () => {})
        socket.resume().write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
        return socket
      })
      // It keeps one in reserve, with which it closes what it cannot serve.
      await until(() => open() >= max - 2 && sockets.some(({ destroyed }) => destroyed), 'no descriptor is left')
      const left = sockets.filter(({ destroyed }) => !destroyed)
      for (const socket of left) socket.destroy()
      await Promise.all(left.map((socket) => socket.closed || once(socket, 'close')))
      await until(client.isReady)
      assert.equal((await client.register(`somebody-${turn}`)).status, 201)
      assert.equal((await client.upload(`fox/b-${turn}.png`, image)).status, 200)
      assert.ok((await client.image('fox/a.png')).bytes.equals(image))
      assert.equal(api.child.exitCode, null)
    }
  })
})
