import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { end, start } from '../support/killed-service.ts'
import { type Answer, clientOf } from '../support/owner-client.ts'
import { sized } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { testFolder } from '../support/test-folder.ts'

const image = randomBytes(20_000)
const large = randomBytes(19_000_000)

async function run(by: readonly string[]) {
  const api = await start(testFolder(), by)
  atEnd(() => end(api))
  const client = await clientOf(api)
  assert.equal((await client.upload('fox/a.png', image)).status, 200)
  return { api, client }
}

const times = <T>(count: number, act: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))
const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort()

describe('A service with a heap of 96 MB', () => {
  it('refuses what is too much at once with 503, serves all else, lives, and loses nothing acknowledged', {
    timeout: 120_000,
  }, async (t) => {
    const { api, client } = await run(['env', 'NODE_OPTIONS=--max-old-space-size=96'])
    const registering = times(200, (index) => client.register(`crowd-${index}`))
    const uploading = times(12, (index) => client.upload(`bird/large-${index}.png`, large))
    for (let turn = 0; turn < 10; turn++) {
      const lists = await times(8, () => client.ask('GET', '/images/fox?limit=500', { token: client.token }))
      assert.deepEqual(statuses(lists), [200])
      assert.equal((await client.ask('GET', '/health')).status, 200)
      assert.ok((await client.image('fox/a.png')).bytes.equals(image))
    }
    const registered = await registering
    assert.deepEqual(statuses(registered), [201, 503])
    assert.deepEqual(statuses(await uploading), [200])
    const kept = registered.flatMap(({ status }, index) => (status === 201 ? [index] : []))
    for (const index of kept) assert.equal((await client.login(`crowd-${index}`)).status, 200)
    for (const { bytes } of await times(12, (index) => client.image(`bird/large-${index}.png`)))
      assert.ok(bytes.equals(large))
    assert.equal(api.child.exitCode, null)
    t.diagnostic(`${kept.length} of ${registered.length} accounts accepted, the others 503`)
  })
})

describe('A service that shares its core with four programs that never pause', {
  skip: process.platform !== 'linux' && 'taskset is of Linux',
}, () => {
  it('fails no request', { timeout: 120_000 }, async (t) => {
    const { api, client } = await run(['taskset', '-c', '0'])
    for (let hog = 0; hog < 4; hog++) {
      const child = spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' })
      atEnd(() => child.kill('SIGKILL'))
    }
    let slowestMs = 0
    for (let turn = 0; turn < sized(3, 4, 10); turn++) {
      const sentAt = performance.now()
      assert.equal((await client.ask('GET', '/health')).status, 200)
      slowestMs = Math.max(slowestMs, performance.now() - sentAt)
      const names = ['a', 'b', 'c', 'd'].map((name) => `busy-${name}-${turn}`)
      assert.deepEqual(statuses(await Promise.all(names.map(client.register))), [201])
      assert.deepEqual(statuses(await Promise.all(names.map(client.login))), [200])
      const random = () => client.ask('GET', '/images/fox/random?as=bytes', { token: client.token })
      for (const { bytes } of await times(20, random)) assert.ok(bytes.equals(image))
      assert.equal((await client.upload(`bird/${turn}.png`, image)).status, 200)
    }
    assert.equal(api.child.exitCode, null)
    t.diagnostic(`the slowest /health took ${Math.round(slowestMs)} ms`)
  })
})
