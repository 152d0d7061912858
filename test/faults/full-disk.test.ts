import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Running } from '../bin/processes.ts'
import { atEnd } from '../support/at-end.ts'
import { end, integrityOf, start } from '../support/killed-service.ts'
import { mounted, noMounts } from '../support/own-mounts.ts'
import { clientOf } from '../support/owner-client.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const skip = noMounts()
const api = join(import.meta.dirname, '../../src/bin/api.ts')
const image = randomBytes(300_000)

/** Until not a byte fits. */
function fill(file: string): void {
  for (let size = 2 ** 24; size >= 1; size = Math.floor(size / 2))
    for (;;)
      try {
        writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
        break
      }
}

describe('A full disk', { skip }, () => {
  it('refuses accounts and images with 5xx, keeps what was there readable, and is used again when there is space', async () => {
    const dataDir = testFolder()
    const running = await start(dataDir, mounted('mount -t tmpfs -o size=24m tmpfs "$DATA_DIR"'))
    atEnd(() => end(running))
    const client = await clientOf(running)
    assert.equal((await client.register('before')).status, 201)
    for (const name of ['fox/a.png', 'fox/b.png']) assert.equal((await client.upload(name, image)).status, 200)

    const seen = `/proc/${running.child.pid}/root${dataDir}`
    const filler = join(seen, 'filler')
    for (let round = 0; round < 2; round++) {
      fill(filler)
      for (let turn = 0; turn < 5; turn++) {
        const { status, text } = await client.upload(`fox/full-${turn}.png`, image)
        assert.deepEqual([status, JSON.parse(text)], [500, { status: 500, message: 'Error uploading object' }])
        assert.equal((await client.image(`fox/full-${turn}.png`)).status, 404)
        assert.equal((await client.ask('GET', '/health')).status, 200)
        assert.ok((await client.image('fox/b.png')).bytes.equals(image))
      }
      // The log of the database may have had room for some.
      await until(
        async () => (await client.register(`during-${round}-${randomBytes(4).toString('hex')}`)).status >= 500,
      )
      await until(async () => !(await client.isReady()))

      rmSync(filler)
      await until(client.isReady)
      assert.equal((await client.register(`after-${round}`)).status, 201)
      assert.equal((await client.upload(`bird/after-${round}.png`, image)).status, 200)
    }
    const files = readdirSync(join(seen, 'objects'), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
    assert.deepEqual(
      files.filter((file) => statSync(file).size === 0),
      [],
    )
    assert.equal(files.filter((file) => file.endsWith('.png')).length, 4)
    const copy = testFolder()
    for (const name of ['menagerie.db', 'menagerie.db-wal']) copyFileSync(join(seen, name), join(copy, name))
    assert.deepEqual(integrityOf(copy), [])
    assert.equal((await client.login('before')).status, 200)
  })
})

describe('A start on a read-only disk', { skip }, () => {
  const readOnly = mounted('mount --bind "$DATA_DIR" "$DATA_DIR" && mount -o remount,ro,bind "$DATA_DIR"')

  for (const [title, prepare] of [
    ['with nothing on it', async () => {}],
    ['with the data of a service', async (dataDir: string) => end(await start(dataDir))],
  ] as const)
    it(`${title} ends with 1 and one line that names DATA_DIR`, async () => {
      const dataDir = testFolder()
      await prepare(dataDir)
      const command = [...readOnly, process.execPath, api] as const
      const running = await Running.start('api', { dataDir, command })
      assert.equal((await running.ended).code, 1)
      await running.closed
      assert.match(running.err, /^{"level":"fatal"[^\n]*"msg":"api: DATA_DIR: [^\n]*\n$/)
      assert.equal(running.out, '')
    })
})
