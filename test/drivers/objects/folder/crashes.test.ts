import assert from 'node:assert/strict'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { md5Of } from '../../../support/object-stores.ts'
import { spawn } from '../../../support/spawn.ts'
import { folderStage } from './folder-stage.ts'

/** Another process in the middle of an upload, whose temporary file remains if it is killed. */
async function uploading(dataDir: string) {
  const store = join(import.meta.dirname, '../../../../src/drivers/objects/folder/folder.ts')
  const script = `
    import { openFolderStore } from ${JSON.stringify(store)}
    const store = await openFolderStore({ dataDir: ${JSON.stringify(dataDir)} })
    const body = (async function* () {
      for (let piece = 0; piece < 10; piece++) yield Buffer.alloc(100_000)
      process.stdout.write('half')
      await new Promise((resolve) => setInterval(resolve, 1e9))
    })()
    await store.write({ bucket: 'images', name: 'fox/half.png', type: 'image/png', size: null, body,
      signal: new AbortController().signal })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

describe('The folder of objects, after a crash', () => {
  const on = folderStage()
  const temporaries = () => fs.readdirSync(on.temporary)

  it('removes what a killed process left, but not what another one is writing', async () => {
    await on.put('fox/half.png', Buffer.from('old'), { type: 'image/gif' })
    const killFirst = await uploading(on.dataDir)
    const killSecond = await uploading(on.dataDir)
    assert.equal(temporaries().length, 2)
    await killFirst()
    await on.reopen()
    assert.equal(temporaries().length, 1)
    await killSecond()
    await on.reopen()
    assert.deepEqual(temporaries(), [])
    assert.equal(String(await on.bytesOf('fox/half.png')), 'old')
    assert.equal((await on.store.head(on.at('fox/half.png')))?.type, 'image/gif')
  })

  it('removes temporary files older than an hour, whoever wrote them, and no other files', async () => {
    const names = {
      elsewhere: '00000000~1~abc~0123456789abcdef~images~0123456789abcdef0123456789abcdef',
      longAgo: '00000000~2~abc~0123456789abcdef~images~0123456789abcdef0123456789abcdef',
      foreign: 'note.txt',
    }
    for (const name of Object.values(names)) fs.writeFileSync(join(on.temporary, name), 'x')
    const before = Date.now() / 1_000 - 3_700
    for (const name of [names.longAgo, names.foreign]) fs.utimesSync(join(on.temporary, name), before, before)
    fs.mkdirSync(join(on.temporary, `${names.longAgo}0`))
    await on.reopen()
    assert.deepEqual(temporaries().sort(), [names.elsewhere, `${names.longAgo}0`, names.foreign].sort())
    for (const name of temporaries()) fs.rmSync(join(on.temporary, name), { recursive: true })
  })

  it('has the old object with its type after a power loss between metadata and rename', async () => {
    await on.put('fox/old.png', Buffer.from('old'), { type: 'image/gif' })
    const kill = await uploading(on.dataDir)
    const [left = ''] = temporaries()
    await on.put('fox/new.png', Buffer.from('new'), { type: 'image/bmp' })
    // As if the unfinished upload were the second one, stopped once its metadata was on disk.
    const stopped = join(on.temporary, left.replace(/[^~]+$/, basename(recordOf('fox/new.png')).slice(0, 32)))
    fs.renameSync(join(on.bucket, 'fox/new.png'), stopped)
    fs.rmSync(join(on.temporary, left))
    await kill()
    const count = on.records().length
    await on.reopen()
    assert.equal(on.records().length, count - 1)
    assert.deepEqual(temporaries(), [])
    assert.equal((await on.store.head(on.at('fox/old.png')))?.type, 'image/gif')
    assert.equal(await on.store.head(on.at('fox/new.png')), null)
  })

  it('has the new object with its type even if the old metadata is left', async () => {
    await on.put('fox/replaced.png', Buffer.from('old'), { type: 'image/gif' })
    const old = recordOf('fox/replaced.png')
    const kept = fs.readFileSync(old)
    await on.put('fox/replaced.png', Buffer.from('new'), { type: 'image/bmp' })
    fs.writeFileSync(old, kept)
    await on.reopen()
    assert.equal((await on.store.head(on.at('fox/replaced.png')))?.type, 'image/bmp')
    await on.put('fox/replaced.png', Buffer.from('old'), { type: 'image/webp' })
    assert.equal((await on.store.head(on.at('fox/replaced.png')))?.type, 'image/webp')
  })

  it('treats a file with lost or incomplete metadata as put there by hand', async () => {
    await on.put('fox/lost.gif', Buffer.from('lost'), { type: 'image/x-odd' })
    const file = recordOf('fox/lost.gif')
    for (const harm of [() => fs.truncateSync(file, 7), () => fs.writeFileSync(file, '[]'), () => fs.rmSync(file)]) {
      harm()
      await on.reopen()
      assert.equal((await on.store.head(on.at('fox/lost.gif')))?.type, 'image/gif')
      assert.equal(String(await on.bytesOf('fox/lost.gif')), 'lost')
    }
  })

  function recordOf(name: string): string {
    const found = on.records().find((file) => JSON.parse(fs.readFileSync(file, 'utf8')).name === name)
    return found ?? assert.fail(name)
  }
})

describe('A file put into the folder by hand', () => {
  const on = folderStage()
  const place = (name: string, text: string) => {
    fs.mkdirSync(join(on.bucket, 'fox'), { recursive: true })
    fs.writeFileSync(join(on.bucket, 'fox', name), text)
  }

  it('is an object, of the type of its extension', async () => {
    const types: Record<string, string | null> = {
      'a.png': 'image/png',
      'b.JPG': 'image/jpeg',
      'c.svg': 'image/svg+xml',
      'd.html': 'text/html',
      'e.txt': null,
      png: null,
    }
    for (const name of Object.keys(types)) place(name, name)
    assert.deepEqual(
      await on.names(),
      Object.keys(types)
        .map((name) => `fox/${name}`)
        .sort(),
    )
    for (const [name, type] of Object.entries(types)) {
      const head = await on.store.head(on.at(`fox/${name}`))
      assert.equal(head?.type, type, name)
      assert.equal(head?.etag, md5Of(Buffer.from(name)))
      assert.equal(String(await on.bytesOf(`fox/${name}`)), name)
    }
  })

  it('changes its ETag exactly with its bytes, whatever its size and times', async () => {
    const etagOf = async () => (await on.store.head(on.at('fox/same.png')))?.etag ?? assert.fail()
    place('same.png', 'one')
    const one = await etagOf()
    fs.utimesSync(join(on.bucket, 'fox/same.png'), 1_780_000_000, 1_780_000_000.5)
    assert.equal(await etagOf(), one)
    place('other.png', 'two')
    fs.utimesSync(join(on.bucket, 'fox/other.png'), 1_780_000_000, 1_780_000_000.5)
    fs.renameSync(join(on.bucket, 'fox/other.png'), join(on.bucket, 'fox/same.png'))
    assert.equal(await etagOf(), md5Of(Buffer.from('two')))
    const [listed] = (await Array.fromAsync(on.store.list('images', { prefix: 'fox/same', isFlat: true }))).flat()
    assert.equal(listed?.etag, await etagOf())
  })

  it('can be replaced and removed like any other', async () => {
    place('mine.png', 'mine')
    await on.put('fox/mine.png', Buffer.from('yours'), { type: 'image/gif' })
    assert.equal((await on.store.head(on.at('fox/mine.png')))?.type, 'image/gif')
    place('mine.png', 'written into')
    assert.equal((await on.store.head(on.at('fox/mine.png')))?.type, 'image/png')
    await on.store.remove(on.at('fox/mine.png'))
    await on.isNoObject('fox/mine.png')
  })
})
