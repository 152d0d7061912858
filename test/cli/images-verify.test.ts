import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testFolder } from '../support/test-folder.ts'
import { folders, md5Of, picture, scripted, wholePng } from './pictures.ts'
import { begin, tool, toolHere, toolJson } from './tool.ts'

const isWindows = process.platform === 'win32' && 'there is no touch there'

describe('images verify', { concurrency: true }, () => {
  it('finds changed bytes of unchanged size and time', { skip: isWindows }, async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png', 'good'))
    put('b.png', picture('png', 'good'))
    await toolJson(env, ['images', 'import', root, '--kind', 'fox'])
    const file = join(objects, 'fox', 'b.png')
    spoil(file, picture('png', 'gone'))
    const { code, stdout, stderr } = await tool(env, ['images', 'verify'])
    assert.deepEqual([code, stderr], [1, '1 image failed verification; import or upload the originals again.\n'])
    const [good, bad] = [picture('png', 'good'), picture('png', 'gone')].map(md5Of)
    assert.equal(
      stdout,
      `fox/b.png  checksum: the ETag is ${good}, but the MD5 of the bytes is ${bad}\nRead 2 images (24 B): 1 with a problem, 0 without a checksum in the store.\n`,
    )
    assert.equal((await toolHere(env, ['images', 'verify', '--kind', 'bird'])).code, 0)
  })

  it('knows the checksums of images that were copied there by hand', async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png'))
    await toolJson(env, ['images', 'import', root, '--kind', 'fox'])
    writeFileSync(join(objects, 'fox', 'by-hand.png'), picture('png', 'by hand'))
    const { checked, bad, checksumNotKnown } = await toolJson(env, ['images', 'verify'])
    assert.deepEqual([checked, bad, checksumNotKnown], [2, 0, 0])
  })

  it('finds a type that does not match the bytes; a missing one means image/jpeg, as in the proxy', async () => {
    const { env, s3 } = await scripted()
    const store = (key: string, bytes: Buffer | string, type: string | null) => s3.put('images', key, bytes, { type })
    store('fox/right.png', picture('png'), 'image/png')
    store('fox/apng.png', picture('png'), 'image/apng')
    store('fox/jpg.jpg', picture('jpeg'), 'image/JPG; q=1')
    store('fox/untyped.jpg', picture('jpeg'), null)
    store('fox/drawing.svg', '<svg/>', 'image/svg+xml')
    store('bird/untyped.png', picture('png'), null)
    store('bird/octets.png', picture('png'), 'binary/octet-stream')
    store('bird/wrong.gif', picture('webp'), 'image/gif')
    store('bird/text.png', 'just words', 'image/png')
    const { code, stdout } = await tool(env, ['images', 'verify', '--json'])
    const { problems, checked } = JSON.parse(stdout)
    assert.deepEqual([code, checked], [1, 9])
    assert.deepEqual(
      problems.map(({ name, what, reason }: Record<string, string>) => `${name} ${what}: ${reason}`).sort(),
      [
        'bird/octets.png type: served as image/jpeg, but the bytes are image/png',
        'bird/text.png type: served as image/png, but the bytes are not an image of a known type',
        'bird/untyped.png type: no stored type, served as image/jpeg, but the bytes are image/png',
        'bird/wrong.gif type: served as image/gif, but the bytes are image/webp',
      ],
    )
  })

  it('finds images that end early, though their checksum is right', async () => {
    const { root, env, put } = folders()
    put('cut.png', wholePng('some words that fill a chunk').subarray(0, -14))
    put('whole.png', wholePng('some words that fill a chunk'))
    await toolJson(env, ['images', 'import', root, '--kind', 'fox'])
    const { code, stdout } = await toolHere(env, ['images', 'verify'])
    assert.equal(code, 1)
    assert.match(stdout, /^fox\/cut\.png {2}bytes: it ends early: a part of the image is missing\nRead 2 .* 1 with a/)
  })

  it('finds objects in S3 with a wrong checksum, truncated and unreadable ones', async () => {
    const { env, s3 } = await scripted()
    for (const name of ['good', 'other', 'short', 'refused', 'gone'])
      s3.put('images', `fox/${name}.png`, wholePng(name.repeat(50)), { type: 'image/png' })
    const pool = s3.objects.get('images')
    const other = pool?.get('fox/other.png')
    if (other) pool?.set('fox/other.png', { ...other, bytes: wholePng('OTHER'.repeat(50)) })
    const isGetOf = (wanted: string) => (asked: { operation: string; key: string }) =>
      asked.operation === 'get' && asked.key === wanted
    for (let tries = 0; tries < 3; tries++) {
      s3.next({ kind: 'truncate', after: 20, how: 'end' }, isGetOf('fox/short.png'))
      s3.next({ kind: 'status', status: 403 }, isGetOf('fox/refused.png'))
    }
    s3.next({ kind: 'status', status: 404 }, isGetOf('fox/gone.png'))
    const { code, stdout } = await tool(env, ['images', 'verify', '--parallel', '8', '--json'])
    const { problems, checked, gone, bad } = JSON.parse(stdout)
    assert.deepEqual([code, checked, gone, bad], [1, 2, 1, 3])
    const said = new Map(problems.map(({ name, what, reason }: Record<string, string>) => [name, `${what}: ${reason}`]))
    assert.match(String(said.get('fox/other.png')), /^checksum: the ETag is [0-9a-f]{32}, but the MD5 of the bytes is /)
    assert.match(
      String(said.get('fox/short.png')),
      /^bytes: cannot be read: The object store ended the response too early/,
    )
    assert.equal(
      said.get('fox/refused.png'),
      'bytes: cannot be read: The object store refuses the GET of an object: 403 AccessDenied',
    )
  })

  it('retries a transient failure', async () => {
    const { env, s3 } = await scripted()
    s3.put('images', 'fox/a.png', wholePng('x'.repeat(500)), { type: 'image/png' })
    s3.next({ kind: 'truncate', after: 20, how: 'reset' }, ({ operation }) => operation === 'get')
    assert.equal((await tool(env, ['images', 'verify'])).code, 0)
  })

  it('reports the results so far on Ctrl-C, with 130', async () => {
    const { env, s3 } = await scripted()
    for (const name of ['a', 'b']) s3.put('images', `fox/${name}.png`, picture('png', name), { type: 'image/png' })
    const isLast = ({ operation, key }: { operation: string; key: string }) =>
      operation === 'get' && key === 'fox/b.png'
    s3.next({ kind: 'stall', after: 3 }, isLast)
    const underWay = s3.arrival(isLast)
    const run = begin(env, ['images', 'verify', '--parallel', '1', '--json'])
    await underWay
    run.interrupt()
    const { code, stdout } = await run.ended
    const { checked, isInterrupted, problems } = JSON.parse(stdout)
    assert.deepEqual([code, checked, isInterrupted, problems], [130, 1, true, []])
  })
})

/** Corrupts bytes as a disk does, and nothing else: the time is kept to its last digit, which no call of Node does. */
function spoil(file: string, bytes: Buffer): void {
  const folder = testFolder()
  const times = join(folder, 'times')
  execFileSync('touch', ['-r', file, times])
  writeFileSync(file, bytes)
  execFileSync('touch', ['-r', times, file])
}
