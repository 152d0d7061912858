import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { putInto } from '../../../support/object-stores.ts'
import { testFolder } from '../../../support/test-folder.ts'
import { folderStage } from './folder-stage.ts'

const isWindows = process.platform === 'win32'
const needsLinks = { skip: isWindows ? 'Windows keeps links for administrators' : false }

describe('The folder of objects, among files that are no objects', () => {
  const on = folderStage()

  it('follows no link to a file, a folder or a bucket', needsLinks, async () => {
    const elsewhere = testFolder()
    fs.writeFileSync(join(elsewhere, 'secret.png'), 'secret')
    await on.put('fox/real.png', Buffer.from('real'))
    fs.symlinkSync(join(elsewhere, 'secret.png'), join(on.bucket, 'fox/link.png'))
    fs.symlinkSync(join(on.bucket, 'fox/real.png'), join(on.bucket, 'fox/own.png'))
    fs.symlinkSync(join(elsewhere, 'nothing'), join(on.bucket, 'fox/dangling.png'))
    fs.symlinkSync(elsewhere, join(on.bucket, 'linked'))
    fs.symlinkSync(join(on.bucket, 'fox'), join(on.bucket, 'wolf'))
    fs.symlinkSync(elsewhere, join(on.objects, 'other-bucket'))
    for (const name of ['fox/link.png', 'fox/own.png', 'fox/dangling.png', 'linked/secret.png', 'wolf/real.png'])
      await on.isNoObject(name)
    for (const prefix of ['linked/', 'wolf/', 'wolf/r'])
      assert.deepEqual(await Array.fromAsync(on.store.list('images', { prefix, isFlat: true })), [])

    const linked = { bucket: 'other-bucket', name: 'secret.png' }
    assert.equal(await on.store.bucketExists('other-bucket'), false)
    assert.equal(await on.store.read(linked), null)
    await assert.rejects(on.store.createBucket('other-bucket'))
    await assert.rejects(on.store.check('other-bucket'), { name: 'NoSuchBucket' })
    await assert.rejects(on.store.remove(linked), { name: 'NoSuchBucket' })
    await assert.rejects(putInto(on.store, 'other-bucket')('a.png', Buffer.of(1)), { name: 'NoSuchBucket' })
    await assert.rejects(Array.fromAsync(on.store.list('other-bucket', { prefix: '', isFlat: false })))

    await assert.rejects(on.put('linked/new.png', Buffer.of(1)))
    await assert.rejects(on.put('wolf/new/deep.png', Buffer.of(1)))
    await on.store.remove(on.at('linked/secret.png'))
    await on.store.remove(on.at('wolf/real.png'))
    await on.store.remove(on.at('fox/link.png'))
    assert.ok(fs.lstatSync(join(on.bucket, 'fox/link.png')).isSymbolicLink())
    await on.put('fox/link.png', Buffer.from('an object now'))
    assert.equal(String(await on.bytesOf('fox/link.png')), 'an object now')
    assert.equal(String(await on.bytesOf('fox/real.png')), 'real')
    assert.deepEqual(fs.readdirSync(elsewhere), ['secret.png'])
    assert.equal(fs.readFileSync(join(elsewhere, 'secret.png'), 'utf8'), 'secret')
  })

  it('shows no object of a moved folder, even if a link leads to it', needsLinks, async () => {
    await on.put('moved/a.png', Buffer.from('moved'))
    await on.bytesOf('moved/a.png')
    fs.renameSync(join(on.bucket, 'moved'), join(on.dataDir, 'moved'))
    fs.symlinkSync(join(on.dataDir, 'moved'), join(on.bucket, 'moved'))
    await on.isNoObject('moved/a.png')
  })

  it('never waits for a FIFO, and takes no socket, device or folder for an object', needsLinks, async () => {
    await on.put('odd/real.png', Buffer.of(1))
    const path = (name: string) => join(on.bucket, 'odd', name)
    execFileSync('mkfifo', [path('fifo.png')])
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(path('socket.png'), resolve))
    after(() => server.close())
    fs.mkdirSync(path('folder.png'))
    const odd = ['fifo.png', 'socket.png', 'folder.png']
    if (spawnSync('mknod', [path('zero.png'), 'c', '1', '5']).status === 0) odd.push('zero.png')
    for (const name of odd) {
      await on.isNoObject(`odd/${name}`)
      await on.store.remove(on.at(`odd/${name}`))
      assert.ok(!fs.lstatSync(path(name)).isFile(), name)
    }
  })

  it('refuses keys that lead elsewhere, and shows nothing there', async () => {
    for (const name of [
      ...['../images/fox/real.png', 'fox/../fox/real.png', '/fox/real.png', 'fox//real.png', 'fox\\real.png'],
    ])
      for (const bad of [name, `${name}\u0000`, `./${name}`]) {
        await on.isNoObject(bad)
        await assert.rejects(on.put(bad, Buffer.of(1)))
        await on.store.remove(on.at(bad))
      }
    for (const bucket of [
      ...['.details', '.temporary', '..', '.', '', 'a/b', '../objects/images', 'Images', 'images\u0000'],
    ]) {
      assert.equal(await on.store.bucketExists(bucket), false)
      assert.equal(await on.store.head({ bucket, name: 'fox/real.png' }), null)
      await assert.rejects(on.store.createBucket(bucket))
      await assert.rejects(putInto(on.store, bucket)('a.png', Buffer.of(1)), { name: 'NoSuchBucket' })
    }
  })

  it('refuses an object in place of a folder of objects, or below an object', async () => {
    await on.put('tree/a', Buffer.from('a'))
    await assert.rejects(on.put('tree/a/b', Buffer.of(1)), /is an object/)
    await assert.rejects(on.put('tree/a/b/c', Buffer.of(1)), /is an object/)
    await assert.rejects(on.put('tree', Buffer.of(1)), /folder of other objects/)
    assert.equal(String(await on.bytesOf('tree/a')), 'a')
    assert.deepEqual(fs.readdirSync(on.temporary), [])
  })

  it('stores an object in place of empty folders', async () => {
    await on.put('left/a/b/c.png', Buffer.of(1))
    await on.store.remove(on.at('left/a/b/c.png'))
    await on.put('left/a', Buffer.from('a file now'))
    assert.equal(String(await on.bytesOf('left/a')), 'a file now')
  })
})

describe('A listing with known entries', () => {
  const on = folderStage()

  it('reuses a known ETag only for a file of the same size and time that was not read since the start', async () => {
    await on.put('fox/a.png', Buffer.from('a'))
    await on.put('fox/b.png', Buffer.from('b'))
    const list = async (known: (name: string) => { etag: string; size: number; modified: number } | null) => {
      const pages = await Array.fromAsync(on.store.list('images', { prefix: 'fox/', isFlat: true, known }))
      return new Map(pages.flat().map((object) => [object.name, object]))
    }
    const before = await list(() => null)
    await on.reopen()
    const after = await list((name) => {
      const { size, modified } = before.get(name) ?? { size: 0, modified: 0 }
      return { etag: 'as it was', size: name === 'fox/b.png' ? size + 1 : size, modified }
    })
    assert.equal(after.get('fox/a.png')?.etag, 'as it was')
    assert.deepEqual(after.get('fox/b.png'), before.get('fox/b.png'))
  })
})
