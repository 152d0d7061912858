import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { end, integrityOf, start } from '../support/killed-service.ts'
import { type Client, clientOf } from '../support/owner-client.ts'
import { failCalls, noTracing } from '../support/system-calls.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const image = randomBytes(20_000)

/** What was acknowledged, and what was refused. */
interface Written {
  readonly accounts: string[]
  readonly refusedAccounts: string[]
  readonly images: string[]
  readonly refusedImages: string[]
}

const nothing = (): Written => ({ accounts: [], refusedAccounts: [], images: [], refusedImages: [] })

async function register(client: Client, name: string, { accounts, refusedAccounts }: Written): Promise<void> {
  const { status, text } = await client.register(name)
  assert.ok(status === 201 || (status >= 500 && !/SQL|disk|E[A-Z]{3}/.test(text)), `${status} ${text}`)
  ;(status === 201 ? accounts : refusedAccounts).push(name)
}

async function upload(client: Client, name: string, { images, refusedImages }: Written): Promise<void> {
  const { status, text } = await client.upload(name, image)
  assert.ok(status === 200 || text === '{"status":500,"message":"Error uploading object"}', `${status} ${text}`)
  ;(status === 200 ? images : refusedImages).push(name)
}

/** Reads go on, whatever cannot be written. */
async function assertReads(client: Client): Promise<void> {
  assert.equal((await client.ask('GET', '/health')).status, 200)
  assert.ok((await client.image('fox/before.png')).bytes.equals(image))
  assert.equal((await client.ask('GET', '/auth/me', { token: client.token })).status, 200)
}

async function assertKept(client: Client, { accounts, images, refusedAccounts, refusedImages }: Written) {
  for (const name of accounts) assert.equal((await client.login(name)).status, 200, name)
  for (const name of images) assert.ok((await client.image(name)).bytes.equals(image), name)
  for (const name of refusedImages) {
    const { status, bytes } = await client.image(name)
    assert.ok(status === 404 || bytes.equals(image), name)
  }
  // Absent, or whole: then its password is right.
  for (const name of refusedAccounts) {
    const { status } = await client.login(name)
    assert.ok(status === 200 || (status === 401 && (await client.register(name)).status === 201), name)
  }
}

const cases: readonly (readonly [title: string, calls: readonly string[], how: string, isPartial: boolean])[] = [
  ['fails to sync (EIO)', ['fsync', 'fdatasync'], 'error=EIO', false],
  ['is full now and then (ENOSPC), in the middle of transactions too', ['pwrite64'], 'error=ENOSPC:when=3+61', true],
  [
    'becomes read-only (EROFS)',
    ['pwrite64', 'ftruncate', 'rename', 'renameat', 'renameat2', 'mkdir', 'unlink'],
    'error=EROFS',
    false,
  ],
]

describe('A disk that', { skip: noTracing() }, () => {
  for (const [title, calls, how, isPartial] of cases)
    it(`${title} loses nothing acknowledged, and what it refuses is 5xx; reads go on, and writes when it works again`, {
      timeout: 120_000,
    }, async (t) => {
      const dataDir = testFolder()
      const api = await start(dataDir)
      atEnd(() => end(api))
      const client = await clientOf(api)
      const written = nothing()
      const { accounts, refusedAccounts, images, refusedImages } = written
      await upload(client, 'fox/before.png', written)
      await register(client, 'before', written)

      const heal = await failCalls(api.child.pid, calls, how)
      // Of those that fail now and then, one must be accepted and one refused.
      const isDone = (turn: number) => turn >= 6 && (!isPartial || (accounts.length > 1 && refusedAccounts.length > 0))
      for (let turn = 0; turn < 60 && !isDone(turn); turn++) {
        await register(client, `during-${turn}`, written)
        await upload(client, `bird/during-${turn}.png`, written)
        await assertReads(client)
      }
      assert.ok(refusedAccounts.length > 0)
      if (isPartial) assert.ok(accounts.length > 1)
      else {
        assert.deepEqual([accounts, images], [['before'], ['fox/before.png']])
        await until(async () => !(await client.isReady()), 'it is not ready')
      }
      await heal()

      await until(client.isReady, 'it is ready')
      await register(client, 'after', written)
      await upload(client, 'fox/after.png', written)
      assert.deepEqual([accounts.at(-1), images.at(-1)], ['after', 'fox/after.png'])
      await assertKept(client, written)
      assert.equal(api.child.exitCode, null)

      await end(api)
      const again = await start(dataDir)
      atEnd(() => end(again))
      assert.deepEqual(integrityOf(dataDir), [])
      assert.deepEqual(readdirSync(join(dataDir, 'objects/.temporary')), [])
      await assertKept(await clientOf(again), written)
      t.diagnostic(
        `refused: ${refusedAccounts.length} accounts and ${refusedImages.length} images; accepted: ${accounts.length} and ${images.length}`,
      )
    })
})
