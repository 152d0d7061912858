import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { filenamePattern } from '../../src/images/names.ts'
import { examples } from '../images/metadata-files.ts'
import { importing as args, filesBelow, folders, md5Of, picture, wholePng } from './pictures.ts'
import { tool, toolHere, toolJson } from './tool.ts'

const isWindows = process.platform === 'win32'

describe('images import', () => {
  it('imports every image of a folder and its subfolders, with the type detected from its bytes', async () => {
    const { root, env, objects, put } = folders()
    const types = ['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp'] as const
    for (const type of types) put(`${type === 'gif' ? 'deep/er/' : ''}a-${type}.jpg`, picture(type))
    const { code, stdout, stderr } = await tool(env, args(root))
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Imported 6 images as fox \(.*\), 0 already present, 0 skipped, 0 failed\.\n$/)
    assert.deepEqual(
      Object.entries(filesBelow(objects)),
      [...types].sort().map((type) => [`fox/a-${type}.jpg`, picture(type)]),
    )
    const verified = await toolJson(env, ['images', 'verify'])
    assert.deepEqual([verified.checked, verified.bad, verified.checksumNotKnown], [6, 0, 0])
  })

  it('removes metadata with UPLOAD_STRIP_METADATA, and recognises such images later', async () => {
    const { root, env, objects, put } = folders()
    const strip = { ...env, UPLOAD_STRIP_METADATA: 'true' }
    const { sent, stored } = examples.jpeg(6)
    put('a.jpg', sent)
    put('b/a.jpg', stored)
    put('c.gif', picture('gif'))
    put('d.png', picture('png'))
    const json = async () => JSON.parse((await toolHere(strip, [...args(root), '--json'])).stdout)
    const first = await json()
    assert.deepEqual([first.imported, first.metadataKept], [2, 1])
    assert.deepEqual(first.skipped, [{ file: 'b/a.jpg', reason: 'same content as a.jpg' }])
    assert.deepEqual(first.failed, [{ file: 'd.png', reason: 'damaged; its metadata cannot be removed' }])
    assert.deepEqual(filesBelow(objects), { 'fox/a.jpg': stored, 'fox/c.gif': picture('gif') })
    assert.equal((await json()).present, 2)
    const upload = (file: string) => toolHere(strip, ['images', 'upload', join(root, file), 'fox/'])
    assert.match((await upload('a.jpg')).stdout, /already there/)
    assert.match((await upload('d.png')).stderr, /d\.png.*: damaged; its metadata cannot be removed/)
  })

  it('skips empty files and files that are not images, and says why', async () => {
    const { root, env, put } = folders()
    put('a.png', picture('png'))
    put('b.png', 'no picture at all')
    put('c.png', '')
    put('notes.txt', 'BMW is a name')
    put('page.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const { imported, skipped, failed } = await toolJson(env, args(root))
    const noImage = 'not an image of a known type'
    assert.deepEqual([imported, failed], [1, []])
    assert.deepEqual(skipped, [
      { file: 'b.png', reason: noImage },
      { file: 'c.png', reason: 'empty file' },
      { file: 'notes.txt', reason: noImage },
      { file: 'page.svg', reason: noImage },
    ])
  })

  it('names the images that end early, and stores them like any other', async () => {
    const { root, env, objects, put } = folders()
    put('cut.png', wholePng('some words that fill a chunk').subarray(0, -14))
    put('whole.png', wholePng('some words that fill a chunk'))
    const dry = await toolJson(env, [...args(root), '--dry-run'])
    const { code, stdout } = await toolHere(env, args(root))
    assert.deepEqual([code, dry.cutOff], [0, ['cut.png']])
    assert.match(
      stdout,
      /^incomplete {2}cut\.png {2}it ends early: a part of the image is missing\nImported 2 images .*\n1 file among them ends early\.\n$/,
    )
    assert.deepEqual(Object.keys(filesBelow(objects)), ['fox/cut.png', 'fox/whole.png'])
    const upload = ['images', 'upload', join(root, 'cut.png'), 'fox/again.png']
    const ran = await toolHere(env, upload)
    assert.match(ran.stderr, /^Warning: it ends early: a part of the image is missing\.$/m)
    const [again, already] = [await toolJson(env, args(root)), await toolJson(env, upload)]
    assert.deepEqual([again.present, again.cutOff, already.changed, already.isCutOff], [2, ['cut.png'], false, true])
  })

  it('does not follow links or block on FIFOs', { skip: isWindows && 'no FIFOs there' }, async () => {
    const { root, path, env, objects, put } = folders()
    put('a.png', picture('png'))
    mkdirSync(join(path, 'outside'))
    writeFileSync(join(path, 'outside', 'secret.png'), picture('png', 'secret'))
    symlinkSync(join(path, 'outside', 'secret.png'), join(root, 'link.png'))
    symlinkSync(join(path, 'outside'), join(root, 'way-out'))
    symlinkSync(root, join(root, 'round'))
    execFileSync('mkfifo', [join(root, 'fifo.png')])
    const { skipped } = await toolJson(env, args(root))
    assert.deepEqual(
      skipped.map(({ file, reason }: { file: string; reason: string }) => `${file}: ${reason}`),
      ['fifo.png: not a regular file', 'link.png: symbolic link', 'round: symbolic link', 'way-out: symbolic link'],
    )
    assert.deepEqual(Object.keys(filesBelow(objects)), ['fox/a.png'])
  })

  it('turns any name into one that the proxy accepts, and the same one each time', { skip: isWindows }, async () => {
    const { root, env, objects, put } = folders()
    const names = [
      'Füchsin im Wald.PNG',
      ...'狐.png ..a...b..png -rf.png .hidden.png'.split(' '),
      'a\nb\u001b[31m.png',
      'x'.repeat(240),
    ]
    for (const name of [...names, '%2e%2e%2fa', 'nothing', "'; DROP.png"]) put(name, picture('png', name))
    writeFileSync(Buffer.from(`${root}/caf\xe9.png`, 'latin1'), picture('png', 'no UTF-8'))
    const first = await toolJson(env, args(root))
    assert.deepEqual([first.imported, first.failed, first.skipped], [11, [], []])
    const stored = Object.keys(filesBelow(objects))
    assert.deepEqual(stored, [
      ...'fox/2e-2e-2fa fox/DROP.png fox/Fuchsin-im-Wald.PNG fox/a-b-31m.png fox/a.b.png fox/caf.png'.split(' '),
      ...'fox/hidden.png fox/image.png fox/nothing fox/rf.png'.split(' '),
      `fox/${'x'.repeat(150)}`,
    ])
    for (const name of stored) assert.match(name.slice(4), new RegExp(filenamePattern))
    const second = await toolJson(env, args(root))
    assert.deepEqual([second.imported, second.present], [0, 11])
  })

  it('strips terminal control sequences from file names', { skip: isWindows }, async () => {
    const { root, env, put } = folders()
    put('a\u001b[31m\nfailed  b.png', 'no image')
    const { stdout } = await toolHere(env, args(root))
    assert.match(stdout, /^skipped {2}a \[31m failed {2}b\.png {2}not an .*\nImported 0 images/)
  })

  it('gives two files of the same name two names, which a second run finds', async () => {
    const { root, env, objects, put } = folders()
    const [one, other] = [picture('png', 'one'), picture('png', 'other')]
    put('a/fox.png', one)
    put('b/FOX.png', other)
    put('c/fox.png', one)
    const first = await toolJson(env, args(root))
    assert.deepEqual([first.imported, first.skipped], [2, [{ file: 'c/fox.png', reason: 'same content as a/fox.png' }]])
    const hashed = `fox/FOX-${md5Of(other).slice(0, 12)}.png`
    assert.deepEqual(filesBelow(objects), { [hashed]: other, 'fox/fox.png': one })
    put('A/fox.png', picture('png', 'an earlier one'))
    const second = await toolJson(env, args(root))
    assert.deepEqual([second.imported, second.present + second.skipped.length, second.failed], [1, 3, []])
  })

  it('never overwrites another image of the same name', async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png', 'the first'))
    await toolJson(env, args(root))
    put('a.png', picture('png', 'the other'))
    assert.equal((await toolJson(env, args(root))).imported, 1)
    assert.deepEqual(
      Object.values(filesBelow(objects)).map(String).sort(),
      [String(picture('png', 'the first')), String(picture('png', 'the other'))].sort(),
    )
  })

  it('prints with --dry-run what would be done, and changes nothing', async () => {
    const { root, path, env, put } = folders()
    put('a.png', picture('png'))
    put('b/a.png', picture('gif'))
    put('c.txt', 'text')
    const before = filesBelow(path)
    const { code, stdout } = await tool(env, args(root, '--dry-run'))
    assert.equal(code, 0)
    assert.match(stdout, /^would import {2}a\.png {2}fox\/a\.png {2}image\/png {2}18 B$/m)
    assert.match(stdout, /^would import {2}b\/a\.png {2}fox\/a-[0-9a-f]{12}\.png {2}image\/gif {2}16 B$/m)
    assert.match(stdout, /^Would import 2 images as fox .*, 1 skipped, 0 failed\.$/m)
    assert.deepEqual(filesBelow(path), before)
    assert.equal(existsSync(env.DATA_DIR), false)
    const { images } = await toolJson(env, args(root, '--dry-run'))
    assert.deepEqual((await toolJson(env, args(root))).images, images)
  })

  it('adds no sample images to a store', async () => {
    const { root, env, objects } = folders()
    await toolJson({ ...env, SAMPLE_IMAGES: 'true' }, args(root))
    assert.deepEqual(filesBelow(objects), {})
  })

  it('reports a file larger than UPLOAD_MAX_BYTES with exit code 1, and imports all others', async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png', 'x'.repeat(100)))
    put('b.png', picture('png'))
    const ran = await tool({ ...env, UPLOAD_MAX_BYTES: '50' }, args(root))
    assert.equal(ran.code, 1)
    assert.match(ran.stdout, /^failed {2}a\.png {2}108 bytes is more than UPLOAD_MAX_BYTES \(50\)$/m)
    assert.equal(ran.stderr, '1 file could not be imported; run the same command again to retry them.\n')
    assert.deepEqual(Object.keys(filesBelow(objects)), ['fox/b.png'])
  })

  it('reports a wrong folder, kind or number in one line', async () => {
    const { root, env, put } = folders()
    put('a.png', picture('png'))
    const wrong: [string[], number, RegExp][] = [
      [args(join(root, 'nowhere')), 1, /is not a folder; pass the folder/],
      [args(join(root, 'a.png')), 1, /is not a folder/],
      [['images', 'import', root], 2, /--kind/],
      [['images', 'import', root, '--kind', 'wolf'], 2, /--kind/],
      ...['0', '17', '1.5', 'x', ''].map((n): [string[], number, RegExp] => [
        args(root, '--parallel', n),
        2,
        /1 to 16/,
      ]),
    ]
    for (const [given, code, said] of wrong) {
      const ran = await toolHere(env, given)
      assert.deepEqual([ran.code, ran.stdout], [code, ''], given.join(' '))
      assert.match(ran.stderr, said)
      assert.equal(ran.stderr.trim().split('\n').length, 1)
    }
    assert.equal(existsSync(env.DATA_DIR), false)
  })
})
