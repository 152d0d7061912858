import assert from 'node:assert/strict'
import { execFileSync, execSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openFolderStore } from '../../../../src/drivers/objects/folder/folder.ts'
import type { ObjectStore } from '../../../../src/images/object-store.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { md5Of } from '../../../support/object-stores.ts'
import { testFolder } from '../../../support/test-folder.ts'
import { folderStage, openFolderStage } from './folder-stage.ts'

const noTools = { skip: process.platform === 'win32' && 'Windows has no cp' }
/** Files of a moment ago are read again each time; for this clock they are older. */
const later = { ...systemClock, now: () => Date.now() + 10_000 }

const uploads = {
  'fox/plain': 'image/png',
  'fox/other.png': 'image/x-odd',
  [`fox/${'l'.repeat(700)}`]: 'image/gif',
  'bird/a.webp': 'image/webp',
}

async function stateOf(store: ObjectStore) {
  const listed = (await Array.fromAsync(store.list('images', { prefix: '', isFlat: false }))).flat()
  const heads = listed.map(async ({ name, etag }) => {
    const head = await store.head({ bucket: 'images', name })
    const bytes = await (await store.read({ bucket: 'images', name }))?.whole()
    assert.equal(head?.etag, etag, name)
    assert.equal(head?.etag, md5Of(bytes ?? assert.fail(name)), name)
    return [name, { etag, type: head?.type, size: head?.size }] as const
  })
  return new Map((await Promise.all(heads)).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Times of another file system. */
function roundTimes(folder: string): void {
  for (const each of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const seconds = Math.floor(fs.statSync(join(folder, each)).mtimeMs / 2_000) * 2
    fs.utimesSync(join(folder, each), seconds, seconds)
  }
}

const copies: Record<string, (from: string, to: string) => void> = {
  'cp -r': (from, to) => void execFileSync('cp', ['-r', from, to]),
  'cp -a': (from, to) => void execFileSync('cp', ['-a', from, to]),
  tar: (from, to) => void execSync(`tar -C '${from}' -cf - . | (mkdir '${to}' && tar -C '${to}' -xf -)`),
  'a copy to a file system whose times have two seconds': (from, to) => {
    execFileSync('cp', ['-a', from, to])
    roundTimes(to)
  },
}

describe('A copy of the folder of objects', noTools, () => {
  for (const [how, copy] of Object.entries(copies)) {
    it(`keeps types, ETags and checksums: ${how}`, async () => {
      const on = await openFolderStage(later)
      for (const [name, type] of Object.entries(uploads)) await on.put(name, randomBytes(2_000), { type })
      fs.writeFileSync(join(on.bucket, 'fox/by-hand.gif'), 'by hand')
      const before = await stateOf(on.store)
      assert.equal(before.size, 5)

      const path = testFolder()
      copy(on.objects, join(path, 'objects'))
      assert.deepEqual(await stateOf(await openFolderStore({ dataDir: path, clock: later })), before)
      const count = recordsIn(path).length
      assert.deepEqual(await stateOf(await openFolderStore({ dataDir: path, clock: later })), before)
      assert.equal(recordsIn(path).length, count)
    })
  }

  it('has each file read once, and its records trusted afterwards', async () => {
    const on = await openFolderStage(later)
    await on.put('fox/a', Buffer.from('a'), { type: 'image/gif' })
    fs.writeFileSync(join(on.bucket, 'fox/b.png'), 'b')
    const path = testFolder()
    fs.cpSync(on.objects, join(path, 'objects'), { recursive: true })
    await stateOf(await openFolderStore({ dataDir: path, clock: later }))
    for (const file of recordsIn(path)) {
      const record = JSON.parse(fs.readFileSync(file, 'utf8'))
      fs.writeFileSync(file, JSON.stringify({ ...record, etag: `trusted-${record.name}` }))
    }
    const again = await openFolderStore({ dataDir: path, clock: later })
    for (const name of ['fox/a', 'fox/b.png'])
      assert.equal((await again.head({ bucket: 'images', name }))?.etag, `trusted-${name}`)
  })

  it('of what a crash left has the old object or the new one, each with its own type', async () => {
    const on = await openFolderStage(later)
    await on.put('fox/a', Buffer.from('old'), { type: 'image/gif' })
    const [old = ''] = on.records()
    const kept = fs.readFileSync(old)
    await on.put('fox/a', Buffer.from('new'), { type: 'image/bmp' })
    fs.writeFileSync(old, kept)
    for (const [text, type] of [
      ['old', 'image/gif'],
      ['new', 'image/bmp'],
    ] as const) {
      const path = testFolder()
      fs.cpSync(on.objects, join(path, 'objects'), { recursive: true })
      fs.writeFileSync(join(path, 'objects/images/fox/a'), text)
      const store = await openFolderStore({ dataDir: path, clock: later })
      assert.equal((await store.head(on.at('fox/a')))?.type, type)
    }
  })
})

describe('A folder of objects that belongs to another user', {
  skip: process.getuid?.() !== 0 && 'only root can give files away',
}, () => {
  it('is read by root with all types and ETags, and left unchanged', async () => {
    const on = await openFolderStage(later)
    for (const [name, type] of Object.entries(uploads)) await on.put(name, randomBytes(2_000), { type })
    fs.writeFileSync(join(on.bucket, 'fox/by-hand.gif'), 'by hand')
    const before = await stateOf(on.store)
    const path = testFolder()
    execFileSync('cp', ['-r', on.objects, path])
    execFileSync('chown', ['-R', '65534:65534', path])
    const look = () => execFileSync('ls', ['-lnRi', '--time-style=full-iso', path], { encoding: 'utf8' })
    const looked = look()
    assert.deepEqual(await stateOf(await openFolderStore({ dataDir: path, clock: later })), before)
    assert.equal(look(), looked)
  })
})

describe('An object whose file was replaced by hand', noTools, () => {
  const on = folderStage(later)
  const file = () => join(on.bucket, 'fox/a.png')
  const isByHand = async (text: string) => {
    const head = await on.store.head(on.at('fox/a.png'))
    assert.deepEqual([head?.type, head?.etag], ['image/png', md5Of(Buffer.from(text))])
    const [listed] = (await Array.fromAsync(on.store.list('images', { prefix: 'fox/a', isFlat: true }))).flat()
    assert.equal(listed?.etag, head?.etag)
  }

  it('has the type and ETag of its new bytes, even if size and time are the same', async () => {
    await on.put('fox/a.png', Buffer.from('one'), { type: 'image/gif' })
    const { atime, mtime } = fs.statSync(file())
    fs.utimesSync(file(), atime, mtime)
    await on.store.head(on.at('fox/a.png'))
    fs.writeFileSync(join(on.bucket, 'fox/b.png'), 'two')
    fs.utimesSync(join(on.bucket, 'fox/b.png'), atime, mtime)
    fs.renameSync(join(on.bucket, 'fox/b.png'), file())
    await isByHand('two')
    await on.reopen()
    await isByHand('two')
  })

  it('is listed with its new ETag, even if size and time are the same', async () => {
    for (const isServed of [false, true]) {
      await on.put('fox/a.png', Buffer.from('one'), { type: 'image/gif' })
      const before = (await on.store.head(on.at('fox/a.png'))) ?? assert.fail()
      const { atime, mtime } = fs.statSync(file())
      fs.utimesSync(file(), atime, mtime)
      fs.writeFileSync(join(on.bucket, 'fox/b.png'), 'two')
      fs.utimesSync(join(on.bucket, 'fox/b.png'), atime, mtime)
      fs.renameSync(join(on.bucket, 'fox/b.png'), file())
      if (isServed) await on.store.head(on.at('fox/a.png'))
      const known = () => before
      const [listed] = (await Array.fromAsync(on.store.list('images', { prefix: 'fox/a', isFlat: true, known }))).flat()
      assert.equal(listed?.etag, md5Of(Buffer.from('two')))
    }
  })

  it('has its uploaded type again once its bytes are back', async () => {
    await on.put('fox/a.png', Buffer.from('one'), { type: 'image/gif' })
    fs.writeFileSync(file(), 'three')
    await isByHand('three')
    fs.writeFileSync(file(), 'one')
    assert.equal((await on.store.head(on.at('fox/a.png')))?.type, 'image/gif')
  })

  it('is noticed even if it changes twice within a tick of the clock', async () => {
    const path = testFolder()
    const store = await openFolderStore({ dataDir: path })
    await store.createBucket('images')
    const changed = join(path, 'objects/images/a.png')
    fs.writeFileSync(changed, 'one')
    const { atime, mtime } = fs.statSync(changed)
    for (const text of ['one', 'two', 'six']) {
      fs.writeFileSync(changed, text)
      fs.utimesSync(changed, atime, mtime)
      assert.equal((await store.head(on.at('a.png')))?.etag, md5Of(Buffer.from(text)))
    }
  })
})

const recordsIn = (dataDir: string) =>
  fs.globSync('objects/.details/images/*/*', { cwd: dataDir }).map((file) => join(dataDir, file))
