import assert from 'node:assert/strict'
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { sourceOf } from '../../src/api/image-store.ts'
import { inBytes, inTime } from '../../src/cli/amounts.ts'
import { createProgress, lineOf } from '../../src/cli/progress.ts'
import { readConfig } from '../../src/config/config.ts'
import { openCatalogue } from '../../src/drivers/catalogue/catalogue.ts'
import { kinds } from '../contract.ts'
import { fakeClock } from '../support/clock.ts'
import { password, startService } from '../support/service.ts'
import { itInFull } from '../support/size.ts'
import { seededRandom } from '../support/uniform.ts'
import { until } from '../support/until.ts'
import { filesBelow, folders, md5Of, picture, scripted } from './pictures.ts'
import { atTerminal, begin, tool, toolHere, toolJson } from './tool.ts'

const commands = ['import', 'list', 'stats', 'export', 'reindex', 'verify']
const isWindows = process.platform === 'win32'

/** A store with two foxes, a bird, and many objects that are not served. */
async function filled() {
  const stage = await scripted()
  const modified = new Date('2026-01-02T03:04:05Z')
  const put = (key: string, bytes: Buffer | string) =>
    stage.s3.put('images', key, bytes, { type: 'image/png', modified })
  put('fox/a.png', picture('png', 'a'))
  put('fox/b.png', picture('png', 'bb'))
  put('bird/a.png', picture('png', 'a bird'))
  put('fox/', '')
  put('fox/empty.png', '')
  put('fox/deeper/c.png', picture('png'))
  put('fox/two words.png', picture('png'))
  put('fox/..', picture('png'))
  put('wolf/a.png', picture('png'))
  put('a.png', picture('png'))
  return { ...stage, put, modified }
}

describe('The images commands', () => {
  it('have help that needs no settings', async () => {
    for (const command of commands) {
      const { code, stdout } = await toolHere({ PORT: 'bad' }, ['images', command, '--help'])
      assert.equal(code, 0)
      assert.match(stdout, /Exit codes: 0 success; 1 failure.*130 interrupted/s)
    }
  })

  it('that only read create nothing if there is no store yet, and say so', async () => {
    const { path, env } = folders()
    for (const args of [['list'], ['stats'], ['verify'], ['reindex'], ['export', join(path, 'out')]]) {
      const { code, stdout, stderr } = await toolHere(env, ['images', ...args])
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /: no images yet\. Check DATA_DIR, .*\n$/)
    }
    assert.deepEqual([existsSync(env.DATA_DIR), existsSync(join(path, 'out'))], [false, false])
  })
})

describe('images list', () => {
  it('lists exactly the images that are served or hidden, with size, time and ETag', async () => {
    const { env, modified } = await filled()
    const { images } = await toolJson(env, ['images', 'list'])
    const entry = (name: string, words: string) => ({
      kind: name.split('/')[0],
      name,
      bytes: 8 + words.length,
      modified: modified.toISOString(),
      etag: md5Of(picture('png', words)),
      hidden: false,
    })
    assert.deepEqual(images, [entry('fox/a.png', 'a'), entry('fox/b.png', 'bb'), entry('bird/a.png', 'a bird')])
    const foxes = await tool(env, ['images', 'list', '--kind', 'fox'])
    assert.match(foxes.stdout, /^NAME +BYTES +MODIFIED +ETAG +HIDDEN\nfox\/a\.png {2}9 .*\nfox\/b\.png {2}10 .*\n$/)
    assert.equal((await toolJson(env, ['images', 'list', '--limit', '2'])).images.length, 2)
    assert.equal((await toolHere(env, ['images', 'list', '--limit', '0'])).code, 2)
    const none = await toolHere(env, ['images', 'list', '--kind', 'hug'])
    assert.deepEqual(none, { code: 0, stdout: '', stderr: 'No images.\n' })
  })

  it('marks those that are hidden, and says so if the database cannot tell which', async () => {
    const { env } = await filled()
    assert.equal((await tool(env, ['db', 'migrate'])).code, 0)
    const path = join(env.DATA_DIR, 'menagerie.db')
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO hidden_images (name) VALUES ('fox/b.png')")
    database.close()
    const foxes = ['images', 'list', '--kind', 'fox']
    const { stdout } = await tool(env, foxes)
    assert.match(stdout, /\nfox\/a\.png .* -\nfox\/b\.png .* yes\n$/)
    const hidden = async () => (await toolJson(env, foxes)).images.map((image: { hidden: unknown }) => image.hidden)
    assert.deepEqual(await hidden(), [false, true])
    writeFileSync(path, 'no database')
    const unknown = await tool(env, foxes)
    assert.deepEqual([unknown.code, unknown.stdout.match(/ \?$/gm)?.length], [0, 2])
    assert.match(unknown.stderr, /^It is not known which images are hidden\. .*menagerie\.db/)
    assert.deepEqual(await hidden(), [null, null])
  })

  it('is complete over many pages, and requests no more than its limit needs', async () => {
    const { env, s3 } = await scripted()
    for (let number = 0; number < 2_500; number++) s3.put('images', `fox/${number}.png`, 'bytes')
    assert.equal((await toolJson(env, ['images', 'list'])).images.length, 2_500)
    s3.requests.length = 0
    assert.equal((await toolJson(env, ['images', 'list', '--limit', '1000'])).images.length, 1_000)
    assert.equal(s3.requests.filter(({ operation }) => operation === 'list').length, 1)
  })
})

describe('images stats', () => {
  it('counts each kind, and names what is not served', async () => {
    const { env, modified } = await filled()
    const stats = await toolJson(env, ['images', 'stats'])
    const none = { count: 0, bytes: 0, newest: null }
    const newest = modified.toISOString()
    const found: Record<string, object> = {
      fox: { count: 2, bytes: 19, newest },
      bird: { count: 1, bytes: 14, newest },
    }
    assert.deepEqual(
      stats.kinds,
      kinds.map((kind) => ({ kind, ...none, ...found[kind] })),
    )
    assert.deepEqual(stats.total, { count: 3, bytes: 33 })
    assert.deepEqual(stats.notServed, { empty: 1, nested: 1, badName: 3, elsewhere: 2 })
    const unserved = {
      'fox/': 'badName',
      'fox/..': 'badName',
      'fox/two words.png': 'badName',
      'fox/empty.png': 'empty',
      'fox/deeper/c.png': 'nested',
      'wolf/a.png': 'elsewhere',
      'a.png': 'elsewhere',
    }
    const named = stats.unserved.map(({ name, why }: { name: string; why: string }) => [name, why])
    assert.deepEqual(Object.fromEntries(named), unserved)
    const { stdout } = await tool(env, ['images', 'stats'])
    assert.match(stdout, /^ {2}fox\/two words\.png: an invalid name$/m)
    assert.match(stdout, /^fox +2 +19 B +2026-01-02T03:04:05\.000Z$/m)
    assert.match(
      stdout,
      /^Not served, besides hidden images: 7 \(1 empty, 1 nested deeper, 3 with an invalid name, 2 of no kind\)\.$/m,
    )
  })
})

it('images stats names 20 of those that are not served, and counts the others', async () => {
  const { env, put } = await filled()
  for (let index = 0; index < 20; index++) put(`fox/no ${index}.png`, picture('png'))
  const { stdout } = await tool(env, ['images', 'stats'])
  assert.equal(stdout.match(/^ {2}.+: (an invalid name|empty|nested deeper|of no kind)$/gm)?.length, 20)
  assert.match(stdout, /^ {2}and 7 more$/m)
})

describe('images stats beside a service that lists the images for the first time', () => {
  it('shows how many it has listed so far, until that is complete', async () => {
    const { env } = await filled()
    const config = readConfig(env)
    const source = sourceOf(config)
    mkdirSync(config.DATA_DIR, { recursive: true, mode: 0o700 })
    const how = { imagesOnly: false, mayReplace: true, random: seededRandom(1) }
    const catalogue = openCatalogue({ dataDir: config.DATA_DIR, source, kinds: config.imageKinds, ...how })
    catalogue.put('fox', { filename: 'a.png', etag: 'e', size: 1, modified: 1 })
    assert.deepEqual((await toolJson(env, ['images', 'stats'])).listing, { images: 1, isComplete: false })
    const { stdout } = await tool(env, ['images', 'stats'])
    assert.match(stdout, /^The service is listing the images for the first time: 1 so far\.$/m)
    for (const kind of config.imageKinds) for (const listing = catalogue.listing(kind); listing.end(); );
    catalogue.close()
    assert.doesNotMatch((await tool(env, ['images', 'stats'])).stdout, /first time/)
  })
})

describe('with CHOOSE_IMAGES_ONLY=true, images stats and verify', () => {
  itInFull('name the objects that are never chosen: stats those that the service has read, verify all', async () => {
    const only = { SAMPLE_IMAGES: 'false', CHOOSE_IMAGES_ONLY: 'true', CATALOGUE_REFRESH_SECONDS: '1' }
    const service = await startService({ env: only, overrides: { images: { settledMs: 0 } } })
    const folder = join(String(service.env.DATA_DIR), 'objects', 'images', 'fox')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'page.html'), '<html>')
    writeFileSync(join(folder, 'words.png'), 'words')
    writeFileSync(join(folder, 'real.png'), picture('png'))
    const objects = ['page.html', 'words.png'].map((name) => ({ name: `fox/${name}`, fault: 'bytes' }))
    const stats = () => toolJson(service.env, ['images', 'stats'])
    await until(async () => (await stats()).setAside.unread === 0)
    assert.deepEqual((await stats()).setAside, { count: 2, objects, unread: 0 })
    assert.match(
      (await tool(service.env, ['images', 'stats'])).stdout,
      /^Never chosen, since they are not images \(CHOOSE_IMAGES_ONLY\): 2\.\n {2}fox\/page\.html: its first bytes are not those of a known type of image\n {2}fox\/words\.png: .*\n$/m,
    )
    const off = { ...service.env, CHOOSE_IMAGES_ONLY: 'false' }
    assert.equal((await toolJson(off, ['images', 'stats'])).setAside, null)
    await service.close()
    const { env, put } = await filled()
    put('fox/words.png', 'words')
    const elsewhere = { ...env, CHOOSE_IMAGES_ONLY: 'true' }
    assert.match((await tool(elsewhere, ['images', 'stats'])).stdout, /^4 objects not read yet; images verify reads/m)
    const { setAside } = JSON.parse((await tool(elsewhere, ['images', 'verify', '--json'])).stdout)
    assert.deepEqual(setAside, { count: 1, objects: [{ name: 'fox/words.png', fault: 'bytes' }], unread: 0 })
  })
})

describe('images export', () => {
  it('copies the served images with their times, and skips them in a second run', async () => {
    const { env, path, s3, modified } = await filled()
    const out = join(path, 'out')
    const { code, stdout } = await tool(env, ['images', 'export', out])
    assert.deepEqual([code, stdout], [0, 'Exported 3 images (33 B), 0 already present, 0 failed.\n'])
    const all = {
      'bird/a.png': picture('png', 'a bird'),
      'fox/a.png': picture('png', 'a'),
      'fox/b.png': picture('png', 'bb'),
    }
    assert.deepEqual(filesBelow(out), all)
    assert.equal(statSync(join(out, 'fox', 'a.png')).mtimeMs, modified.getTime())
    writeFileSync(join(out, 'fox', 'a.png'), picture('png', 'z'))
    s3.requests.length = 0
    const again = await toolJson(env, ['images', 'export', out, '--kind', 'fox'])
    assert.deepEqual([again.exported, again.present, again.failed], [1, 1, []])
    assert.deepEqual(filesBelow(out), all)
  })

  it('never writes outside its folder', { skip: isWindows && 'no links there' }, async () => {
    const { env, path } = await filled()
    const [out, outside] = [join(path, 'out'), join(path, 'outside')]
    for (const folder of [out, outside, join(out, 'fox')]) mkdirSync(folder)
    symlinkSync(outside, join(out, 'bird'))
    writeFileSync(join(outside, 'mine.txt'), 'mine')
    symlinkSync(join(outside, 'mine.txt'), join(out, 'fox', 'a.png'))
    const ran = await tool(env, ['images', 'export', out])
    assert.equal(ran.code, 1)
    assert.match(ran.stdout, /^failed {2}bird\/a\.png {2}.*bird is a link; remove it$/m)
    assert.deepEqual(filesBelow(outside), { 'mine.txt': Buffer.from('mine') })
    assert.deepEqual(filesBelow(join(out, 'fox')), { 'a.png': picture('png', 'a'), 'b.png': picture('png', 'bb') })
  })

  it('leaves only complete files after Ctrl-C, and is continued by the next run', async () => {
    const { env, path, s3 } = await filled()
    const out = join(path, 'out')
    const isB = ({ operation, key }: { operation: string; key: string }) => operation === 'get' && key === 'fox/b.png'
    s3.next({ kind: 'stall', after: 3 }, isB)
    const underWay = s3.arrival(isB)
    const run = begin(env, ['images', 'export', out, '--parallel', '1'])
    await underWay
    run.interrupt()
    const { code, stdout, stderr } = await run.ended
    assert.deepEqual([code, stdout], [130, 'Exported 1 image (9 B), 0 already present, 0 failed.\n'])
    assert.equal(stderr, 'Interrupted; run the same command again to continue.\n')
    assert.deepEqual(Object.keys(filesBelow(out)), ['fox/a.png'])
    assert.equal((await toolJson(env, ['images', 'export', out])).exported, 2)
  })

  it('reports a wrong folder in one line', async () => {
    const { env, path } = await filled()
    writeFileSync(join(path, 'file'), '')
    const { code, stderr } = await toolHere(env, ['images', 'export', join(path, 'file')])
    assert.equal(code, 1)
    assert.match(stderr, /cannot be used as a folder \(\w+\); choose another\.\n$/)
  })
})

describe('images reindex', () => {
  it('prints the counts before and after', async () => {
    const { env, s3 } = await filled()
    const counts = async () =>
      (await toolJson(env, ['images', 'reindex'])).kinds
        .filter(({ before, after }: { before: number; after: number }) => before + after > 0)
        .map(({ kind, before, after }: Record<string, unknown>) => `${kind} ${before} ${after}`)
    assert.deepEqual(await counts(), ['fox 0 2', 'bird 0 1'])
    s3.objects.get('images')?.delete('fox/a.png')
    assert.deepEqual(await counts(), ['fox 2 1', 'bird 1 1'])
    assert.match((await tool(env, ['images', 'reindex'])).stdout, /^fox +1 +1$[\s\S]*^No counts changed\.$/m)
  })

  it('makes imports visible to a running service at once, and counts none that are hidden', async () => {
    const { root, put } = folders()
    put('new.png', picture('png'))
    const owner = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password }
    const service = await startService({
      env: { SAMPLE_IMAGES: 'false', CATALOGUE_REFRESH_SECONDS: '86400', ...owner },
    })
    try {
      const { accessToken } = await service.register('alice')
      const ask = () => service.request('GET', '/images/fox/random', { token: accessToken })
      assert.notEqual((await ask()).status, 200)
      assert.equal((await tool(service.env, ['images', 'import', root, '--kind', 'fox'])).code, 0)
      assert.equal((await tool(service.env, ['images', 'reindex'])).code, 0)
      assert.equal((await ask()).status, 200)
      assert.equal((await toolJson(service.env, ['images', 'verify'])).bad, 0)
      const keeper = await service.login('keeper')
      const hiding = { token: keeper.body.accessToken, body: { name: 'fox/new.png' } }
      assert.equal((await service.request('POST', '/admin/images/hide', hiding)).status, 200)
      const { kinds } = await toolJson(service.env, ['images', 'reindex'])
      assert.deepEqual(
        kinds.find(({ kind }: { kind: string }) => kind === 'fox'),
        { kind: 'fox', before: 0, after: 0 },
      )
      const { body } = await service.request('GET', '/images', { token: accessToken })
      assert.equal(body.kinds.find(({ kind }: { kind: string }) => kind === 'fox').count, 0)
    } finally {
      await service.close()
    }
  })
})

describe('the progress bar', () => {
  it('is drawn only on a terminal, in place, and cleared at the end', async () => {
    const { root, env, put } = folders()
    for (const name of ['a', 'b']) put(`${name}.png`, picture('png', name))
    const { code, screen } = await atTerminal(env, ['images', 'import', root, '--kind', 'fox'], [])
    assert.equal(code, 0)
    assert.match(screen, /^\r\[\.+\] 0 of \d/)
    assert.ok(screen.includes('\r\u001b[KImported 2 images'))
    assert.doesNotMatch(screen.slice(0, screen.indexOf('Imported')), /\n/)
    const { stderr } = await toolHere(env, ['images', 'import', root, '--kind', 'fox'])
    assert.equal(stderr, '')
  })

  it('is drawn at most ten times a second', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const clock = fakeClock(0)
    const drawn: string[] = []
    const screen = new Writable({
      write(chunk, _encoding, done) {
        drawn.push(String(chunk))
        done()
      },
    })
    const progress = createProgress(Object.assign(screen, { isTTY: true, columns: 40 }), clock)
    progress.expect(1_000_000)
    for (let step = 0; step < 1_000; step++) {
      const part = progress.part()
      part.is(1_000)
      part.moved(500)
      part.over()
      clock.advance(2)
      t.mock.timers.tick(2)
    }
    progress[Symbol.dispose]()
    assert.equal(drawn.length, 1 + 20 + 1)
    for (const line of drawn) assert.ok(line.replace('\r', '').replace('\u001b[K', '').length < 40)
  })

  it('shows count, bytes, rate and remaining time', () => {
    const all = { count: 1_000, bytes: 100_000_000 }
    const lines = [120, 79, 60, 30].map((width) => lineOf({ count: 250, bytes: 25_000_000 }, all, 500_000, width))
    const numbers = '250 of 1,000  25.0 MB of 100 MB  500 kB/s  2:30 left'
    assert.deepEqual(lines, [
      `[######..................] ${numbers}`,
      `[######..................] ${numbers}`,
      numbers,
      numbers.slice(0, 30),
    ])
    assert.deepEqual([0, 999, 1_000, 999_949, 999_951, 1.5e9].map(inBytes), [
      ...['0 B', '999 B', '1.0 kB', '1.0 MB', '1.0 MB', '1.5 GB'],
    ])
    assert.deepEqual([0, 59_600, 3_661_000].map(inTime), ['0:00', '1:00', '1:01:01'])
  })
})
