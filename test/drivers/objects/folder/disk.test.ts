import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openFolderStore } from '../../../../src/drivers/objects/folder/folder.ts'
import { inPieces, md5Of, putInto } from '../../../support/object-stores.ts'
import { testFolder } from '../../../support/test-folder.ts'
import { folderStage, openFolderStage } from './folder-stage.ts'

const isWindows = process.platform === 'win32'
const hasProc = fs.existsSync('/proc/self/fd')

describe('The folder of objects, on disk', () => {
  const on = folderStage()
  const files = () =>
    fs.readdirSync(on.objects, { recursive: true, encoding: 'utf8' }).map((each) => join(on.objects, each))

  it('has objects under their keys, readable by the owner alone', {
    skip: isWindows && 'Windows has no modes',
  }, async () => {
    await on.put('fox/a.png', Buffer.from('as it is'))
    await on.put(`fox/${'l'.repeat(600)}`, Buffer.of(1))
    assert.equal(fs.readFileSync(join(on.bucket, 'fox/a.png'), 'utf8'), 'as it is')
    for (const path of [on.objects, ...files()]) {
      const { mode } = fs.lstatSync(path)
      assert.equal((mode & 0o777).toString(8), fs.lstatSync(path).isDirectory() ? '700' : '600', path)
    }
  })

  it('keeps one record for each object outside the bucket, and none of replaced or removed ones', async () => {
    for (const text of ['one', 'two', 'six']) await on.put('fox/again.png', Buffer.from(text))
    await on.put('fox/gone.png', Buffer.of(1))
    await on.store.remove(on.at('fox/gone.png'))
    const names = await on.names()
    assert.equal(on.records().length, names.length)
    assert.deepEqual(fs.readdirSync(on.temporary), [])
    assert.ok(names.every((name) => name.startsWith('fox/')))
  })

  it('keeps nothing of a failed upload', async () => {
    const before = files().length
    const body = async function* () {
      yield Buffer.alloc(300_000)
      throw new Error('broken off')
    }
    await assert.rejects(on.put('fox/failed/a.png', Buffer.of(1), { size: null, body: body() }))
    await assert.rejects(on.put('fox/a.png/b', Buffer.of(1)))
    assert.equal(files().length, before)
  })

  it('keeps type and MD5 across a restart, and in a copy that preserves times', async () => {
    const bytes = randomBytes(1_000)
    await on.put('fox/typed.png', bytes, { type: 'image/x-odd' })
    await on.reopen()
    const head = await on.store.head(on.at('fox/typed.png'))
    assert.deepEqual([head?.type, head?.etag], ['image/x-odd', md5Of(bytes)])
    if (isWindows) return
    const path = testFolder()
    execFileSync('cp', ['-a', on.objects, path])
    const copy = await openFolderStore({ dataDir: path })
    assert.deepEqual(await copy.head(on.at('fox/typed.png')), head)
  })

  it('sees at once what another process stores, removes or overwrites', async () => {
    const other = await openFolderStore({ dataDir: on.dataDir })
    await on.put('fox/shared.png', Buffer.from('one'), { type: 'image/gif' })
    await on.bytesOf('fox/shared.png')
    await putInto(other, 'images')('fox/shared.png', Buffer.from('two'), { type: 'image/bmp' })
    assert.equal((await on.store.head(on.at('fox/shared.png')))?.type, 'image/bmp')
    assert.equal(String(await on.bytesOf('fox/shared.png')), 'two')
    await other.remove(on.at('fox/shared.png'))
    await on.isNoObject('fox/shared.png')
  })

  it('keeps no file open', { skip: !hasProc && 'only /proc tells' }, async () => {
    const open = () =>
      fs.readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(on.dataDir)
        } catch {
          return false
        }
      }).length
    await on.put('fox/open.png', randomBytes(300_000))
    const read = async () => on.store.read(on.at('fox/open.png')).then((reading) => reading ?? assert.fail())
    ;(await read()).discard()
    const twice = await read()
    twice.discard()
    twice.discard()
    await (await read()).whole()
    for await (const _ of (await read()).chunks()) break
    for await (const _ of (await read()).chunks()) assert.equal(open(), 1)
    await (await read()).chunks()[Symbol.asyncIterator]().return?.()
    const cut = await read()
    fs.truncateSync(join(on.bucket, 'fox/open.png'), 70_000)
    await assert.rejects(cut.whole())
    await on.store.head(on.at('fox/open.png'))
    for await (const _ of on.store.list('images', { prefix: '', isFlat: false })) break
    assert.equal(open(), 0)
  })

  it('fails a read if the file becomes shorter or longer', async () => {
    for (const size of [100_000, 300_000]) {
      await on.put('fox/changed.png', randomBytes(200_000))
      const [whole, slow] = [
        await on.store.read(on.at('fox/changed.png')),
        await on.store.read(on.at('fox/changed.png')),
      ]
      fs.truncateSync(join(on.bucket, 'fox/changed.png'), size)
      await assert.rejects(async () => whole?.whole())
      const drain = async () => {
        for await (const _ of slow?.chunks() ?? []);
      }
      await assert.rejects(drain)
    }
  })

  it("refuses to store while a bucket's folder is missing", async () => {
    await on.store.createBucket('fleeting')
    const put = putInto(on.store, 'fleeting')
    const body = async function* () {
      fs.rmSync(join(on.objects, 'fleeting'), { recursive: true })
      yield* inPieces(Buffer.of(1))
    }
    for (const name of ['a.png', 'fox/a.png']) {
      await on.store.createBucket('fleeting')
      await assert.rejects(put(name, Buffer.of(1), { body: body() }), { name: 'NoSuchBucket' })
    }
    fs.rmSync(on.temporary, { recursive: true })
    fs.rmSync(join(on.objects, '.details'), { recursive: true })
    await on.store.createBucket('fleeting')
    await put('fox/a.png', Buffer.of(1))
    assert.ok(await on.store.head({ bucket: 'fleeting', name: 'fox/a.png' }))
  })

  it('leaves no empty folder where its own was removed', async () => {
    const { store, objects, dataDir } = await openFolderStage()
    fs.rmSync(objects, { recursive: true })
    await assert.rejects(store.proveWritable('images'), { code: 'ENOENT' })
    assert.deepEqual(fs.readdirSync(dataDir), [])
  })
})
