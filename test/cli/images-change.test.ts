import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { png } from '../support/pictures.ts'
import { password, startService } from '../support/service.ts'
import { filesBelow, folders, md5Of, picture, scripted } from './pictures.ts'
import { atTerminal, tool, toolHere, toolJson } from './tool.ts'

const isWindows = process.platform === 'win32'

describe('images upload', () => {
  it('stores a file under a name, or under its own name in a kind, with the type of its bytes', async () => {
    const { root, env, objects, put } = folders()
    put('Füchsin 1.jpg', picture('png'))
    const file = join(root, 'Füchsin 1.jpg')
    const { changed, ...stored } = await toolJson(env, ['images', 'upload', file, 'fox/mine.png'])
    const etag = md5Of(picture('png'))
    assert.deepEqual(
      [changed, stored],
      [
        true,
        {
          bucket: 'images',
          name: 'fox/mine.png',
          type: 'image/png',
          bytes: picture('png').length,
          etag,
          isCutOff: false,
        },
      ],
    )
    for (const folder of ['fox', 'fox/']) await toolJson(env, ['images', 'upload', file, folder])
    assert.deepEqual(Object.keys(filesBelow(objects)), ['fox/Fuchsin-1.jpg', 'fox/mine.png'])
    const { events } = await toolJson(env, ['audit', '--target', 'images/fox/mine.png'])
    assert.deepEqual(
      events.map(({ action, actor, after }: Record<string, unknown>) => [action, actor, after]),
      [['upload', 'cli', { etag, type: 'image/png', versionId: null }]],
    )
  })

  it('stores a file of any length whole, in the folder and in S3', async () => {
    const lengths = [262_143, 262_144, 262_145, 700_000]
    for (const { root, env, put } of [folders(), await scripted()])
      for (const length of lengths) {
        const bytes = picture('png', 'x'.repeat(length - 8))
        put('large.png', bytes)
        const name = `fox/${length}.png`
        const { etag } = await toolJson(env, ['images', 'upload', join(root, 'large.png'), name])
        assert.equal(etag, md5Of(bytes), name)
        await toolJson(env, ['images', 'export', join(root, 'out', `${length}`), '--kind', 'fox'])
        assert.deepEqual(filesBelow(join(root, 'out', `${length}`))[`fox/${length}.png`], bytes)
      }
  })

  it('replaces another image only after a confirmation, and does nothing if the same one is already there', async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png'))
    put('b.png', picture('png', 'other words'))
    const args = (file: string, ...more: string[]) => ['images', 'upload', join(root, file), 'fox/a.png', ...more]
    await toolJson(env, args('a.png'))
    assert.equal((await toolHere(env, args('a.png'))).stdout, 'fox/a.png is already there; nothing was changed.\n')
    assert.deepEqual(await tool(env, args('b.png')), {
      code: 2,
      stdout: '',
      stderr: 'fox/a.png exists; pass --yes to replace it.\n',
    })
    assert.equal((await atTerminal(env, args('b.png'), [{ asked: '[y/N]', typed: 'n\r' }])).code, 1)
    assert.deepEqual(filesBelow(objects)['fox/a.png'], picture('png'))
    assert.equal((await toolHere(env, args('b.png', '--yes'))).code, 0)
    assert.deepEqual(filesBelow(objects)['fox/a.png'], picture('png', 'other words'))
  })

  it('refuses what is not an image of the type, not a file, or too large, and stores nothing', {
    skip: isWindows,
  }, async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png'))
    put('text.png', 'no picture at all')
    put('empty.png', '')
    put('page.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    execFileSync('mkfifo', [join(root, 'fifo.png')])
    for (const [file, name, more, code, message] of [
      ['text.png', 'fox', [], 1, /is not an image of a known type; pass its --type/],
      ['text.png', 'fox', ['--type', 'image/png'], 1, /^The body is not an image of type image\/png\.$/],
      ['a.png', 'fox', ['--type', 'image/gif'], 1, /^The body is not an image of type image\/gif\.$/],
      ['a.png', 'fox', ['--type', 'image/*'], 2, /--type: expected an image type/],
      ['a.png', 'fox', ['--type', 'text/html'], 2, /--type: expected an image type/],
      ['empty.png', 'fox', [], 1, /is empty/],
      ['fifo.png', 'fox', [], 1, /not a regular file/],
      ['.', 'fox', [], 1, /not a regular file/],
      ['gone.png', 'fox', [], 1, /no such file/],
      ['a.png', '../fox/a.png', [], 1, /is not a valid object name/],
      ['a.png', 'fox//a.png', [], 1, /is not a valid object name/],
    ] as const) {
      const ran = await toolHere(env, ['images', 'upload', join(root, file), name, ...more])
      assert.deepEqual([ran.code, ran.stdout], [code, ''], `${file} ${name}`)
      assert.match(ran.stderr.trim(), message)
    }
    const large = await toolHere({ ...env, UPLOAD_MAX_BYTES: '3' }, ['images', 'upload', join(root, 'a.png'), 'fox'])
    assert.match(large.stderr, /more than UPLOAD_MAX_BYTES \(3\)/)
    assert.deepEqual(existsSync(objects) ? Object.keys(filesBelow(objects)) : [], [])
  })

  it('follows a link that is named, accepts a given type, and warns of a name outside every kind', async () => {
    const { root, env, objects, put } = folders()
    put('page.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    symlinkSync(join(root, 'page.svg'), join(root, 'link.svg'))
    const args = ['images', 'upload', join(root, 'link.svg'), 'cats/a.svg', '--type', 'image/svg+xml']
    const { code, stderr } = await toolHere(env, args)
    assert.equal(code, 0)
    assert.match(stderr, /^It will never be chosen/m)
    const above = await toolHere(env, ['images', 'upload', join(root, 'page.svg'), 'cats', '--type', 'image/svg+xml'])
    assert.deepEqual([above.code, above.stderr.split('\n').length], [1, 2])
    assert.match(above.stderr, /^images\/cats cannot be a file: .*\.$/m)
    assert.deepEqual(readFileSync(join(objects, 'cats/a.svg')), readFileSync(join(root, 'page.svg')))
  })
})

describe('images delete', () => {
  it('deletes all named images after a confirmation, or none if one of them does not exist', async () => {
    const { root, env, objects, put } = folders()
    for (const name of ['a.png', 'b.png', 'c.png']) {
      put(name, picture('png', name))
      await toolJson(env, ['images', 'upload', join(root, name), 'fox/'])
    }
    const left = () => Object.keys(filesBelow(objects))
    const missing = await toolHere(env, ['images', 'delete', 'fox/a.png', 'fox/z.png', '--yes'])
    assert.deepEqual(missing, {
      code: 1,
      stdout: '',
      stderr: 'No object "fox/z.png" in the bucket images; nothing was deleted.\n',
    })
    assert.equal((await tool(env, ['images', 'delete', 'fox/a.png'])).code, 2)
    const no = await atTerminal(env, ['images', 'delete', 'fox/a.png'], [{ asked: '[y/N]', typed: 'n\r' }])
    assert.deepEqual([no.code, left().length], [1, 3])
    const { deleted } = await toolJson(env, ['images', 'delete', 'fox/a.png', 'fox/b.png', 'fox/a.png', '--yes'])
    assert.deepEqual([deleted, left()], [['fox/a.png', 'fox/b.png'], ['fox/c.png']])
    const events = ['audit', '--action', 'delete-object', '--actor', 'cli']
    assert.equal((await toolJson(env, events)).events.length, 2)
    assert.equal((await toolJson(env, [...events, '--outcome', 'success'])).events.length, 2)
    assert.equal((await toolJson(env, [...events, '--outcome', 'refused'])).events.length, 0)
  })

  it('fails in one line without a store, and if an S3 server refuses', async () => {
    const { env } = folders()
    const none = await toolHere(env, ['images', 'delete', 'fox/a.png', '--yes'])
    assert.deepEqual([none.code, /no images yet/.test(none.stderr)], [1, true])
    const { env: remote, s3, root, put, names } = await scripted()
    put('a.png', picture('png'))
    await toolJson(remote, ['images', 'upload', join(root, 'a.png'), 'fox'])
    assert.deepEqual(names(), ['fox/a.png'])
    writeFileSync(join(remote.DATA_DIR, 'catalogue.db'), 'not a catalogue, which only the service may replace')
    await toolJson(remote, ['images', 'delete', 'fox/a.png', '--yes'])
    assert.deepEqual(names(), [])
    await s3.close()
    const away = await toolHere(remote, ['images', 'delete', 'fox/a.png', '--yes'])
    assert.deepEqual([away.code, /^S3_ENDPOINT: /.test(away.stderr)], [1, true])
  })
})

describe('images upload, import and delete beside a running service', () => {
  it('change at once what it chooses from', async () => {
    const { root, put } = folders()
    put('a.png', picture('png'))
    const service = await startService()
    const { accessToken: token } = await service.register('asker')
    const chosen = async () => (await service.request('GET', '/images/fox/random', { token })).status
    assert.equal(await chosen(), 404)
    await toolJson(service.env, ['images', 'upload', join(root, 'a.png'), 'fox'])
    assert.equal(await chosen(), 200)
    await toolJson(service.env, ['images', 'delete', 'fox/a.png', '--yes'])
    assert.equal(await chosen(), 404)
    put('b.png', png(640, 480))
    await toolJson(service.env, ['images', 'import', root, '--kind', 'fox'])
    const { body } = await service.request('GET', '/images/fox?meta=1&minWidth=640', { token })
    assert.deepEqual(
      body.images.map(({ name, height }: { name: string; height: number }) => [name, height]),
      [['fox/b.png', 480]],
    )
    assert.equal((await service.login('asker', password)).status, 200)
  })
})
