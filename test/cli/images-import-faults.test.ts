import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { itInFull } from '../support/size.ts'
import { importing as args, filesBelow, folders, picture, scripted, until } from './pictures.ts'
import { begin, beginProcess, tool, toolJson } from './tool.ts'

describe('images import into S3', { concurrency: true }, () => {
  it('retries transient refusals of the store', async () => {
    const { root, env, s3, names, put } = await scripted()
    for (const name of ['a', 'b', 'c']) put(`${name}.png`, picture('png', name))
    const isPut = ({ operation }: { operation: string }) => operation === 'put'
    s3.next({ kind: 'status', status: 503 }, isPut)
    s3.next({ kind: 'reset-on-put', after: 1 }, isPut)
    s3.next({ kind: 'lost-answer' }, isPut)
    const { code, stdout } = await tool(env, args(root))
    assert.equal(code, 0, stdout)
    assert.deepEqual(names(), ['fox/a.png', 'fox/b.png', 'fox/c.png'])
    assert.equal(s3.objects.get('images')?.get('fox/a.png')?.type, 'image/png')
  })

  it('reports a file that fails three times; the next run imports only that one', async () => {
    const { root, env, s3, names, put } = await scripted()
    for (const name of ['a', 'b', 'c']) put(`${name}.png`, picture('png', name))
    s3.always({ kind: 'status', status: 503 }, ({ operation, key }) => operation === 'put' && key === 'fox/b.png')
    const ran = await tool(env, args(root))
    assert.equal(ran.code, 1)
    assert.match(ran.stdout, /^failed {2}b\.png {2}The object store refuses the PUT: 503 SlowDown$/m)
    assert.match(ran.stdout, /^Imported 2 images/m)
    const puts = () => s3.requests.filter(({ operation }) => operation === 'put').map(({ key }) => key)
    assert.equal(puts().filter((key) => key === 'fox/b.png').length, 3)
    s3.heal()
    s3.requests.length = 0
    const again = await toolJson(env, args(root))
    assert.deepEqual([again.imported, again.present, puts()], [1, 2, ['fox/b.png']])
    assert.deepEqual(names(), ['fox/a.png', 'fox/b.png', 'fox/c.png'])
  })

  it('does not retry a permanent refusal, and aborts after ten in a row', async () => {
    const { root, env, s3, put } = await scripted()
    for (let number = 0; number < 40; number++) put(`${number}.png`, picture('png', String(number)))
    s3.always({ kind: 'status', status: 403 }, ({ operation }) => operation === 'put')
    const ran = await tool(env, args(root))
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /^Aborted after 10 store failures in a row; .*\n$/)
    const puts = s3.requests.filter(({ operation }) => operation === 'put')
    assert.ok(puts.length >= 10 && puts.length < 16, String(puts.length))
    assert.equal(new Set(puts.map(({ key }) => key)).size, puts.length)
  })

  it('compares bytes if the ETag is not an MD5', async () => {
    const { root, env, s3, put } = await scripted()
    put('a.png', picture('png', 'same'))
    put('b.png', picture('png', 'mine'))
    for (const [key, words] of [
      ['fox/a.png', 'same'],
      ['fox/b.png', 'hers'],
    ] as const) {
      const object = s3.put('images', key, picture('png', words), { type: 'image/png' })
      s3.objects.get('images')?.set(key, { ...object, etag: '"0123-2"' })
    }
    const { imported, present, images } = await toolJson(env, args(root))
    assert.deepEqual([imported, present], [1, 1])
    assert.match(images[0].name, /^fox\/b-[0-9a-f]{12}\.png$/)
  })

  it('runs at most --parallel transfers at a time', async () => {
    const { root, env, s3, put } = await scripted()
    for (let number = 0; number < 9; number++) put(`${number}.png`, picture('png', String(number)))
    const { promise: until3, resolve: release } = Promise.withResolvers<void>()
    s3.always({ kind: 'hold', until: until3 }, ({ operation }) => operation === 'put')
    const run = begin(env, args(root, '--parallel', '3'))
    await until(() => s3.inFlight === 3)
    release()
    assert.equal((await run.ended).code, 0)
    assert.equal(s3.mostInFlight, 3)
  })

  it('reports an unreachable store and a missing bucket in one line with the setting', async () => {
    const { root, env, s3, put } = await scripted()
    put('a.png', picture('png'))
    const none = await tool({ ...env, S3_BUCKET: 'no-such-bucket' }, args(root))
    assert.deepEqual([none.code, none.stdout], [1, ''])
    assert.match(none.stderr, /^S3_BUCKET: no bucket "no-such-bucket" in http.*; create it, or choose another\.\n$/)
    await s3.stop()
    const away = await tool(env, args(root))
    assert.deepEqual([away.code, away.stdout], [1, ''])
    assert.match(
      away.stderr,
      /^S3_ENDPOINT: the object store is not reachable: .*ECONNREFUSED.*; check that it is running at .*\n$/,
    )
    assert.doesNotMatch(away.stderr, /secret-words/)
  })
})

describe('an interrupted images import', () => {
  itInFull('ends at once with a report and 130, stores nothing partial, and is continued by the next run', async () => {
    const { root, env, s3, names, put } = await scripted()
    for (const name of ['a', 'b', 'c']) put(`${name}.png`, picture('png', name))
    s3.next({ kind: 'silent' }, ({ operation, key }) => operation === 'put' && key === 'fox/b.png')
    const underWay = s3.arrival(({ operation, key }) => operation === 'put' && key === 'fox/b.png')
    const run = beginProcess(env, args(root, '--parallel', '1', '--json'))
    await underWay
    run.interrupt()
    const { code, stdout, stderr } = await run.ended
    assert.equal(code, 130)
    const { imported, failed, isInterrupted } = JSON.parse(stdout)
    assert.deepEqual([imported, failed, isInterrupted], [1, [], true])
    assert.deepEqual(JSON.parse(stderr), { error: 'Interrupted; run the same command again to continue.' })
    assert.deepEqual(names(), ['fox/a.png'])
    const again = await toolJson(env, args(root))
    assert.deepEqual([again.imported, again.present], [2, 1])
  })

  itInFull('leaves no partial file in the folder store', async () => {
    const { root, env, objects, put } = folders()
    const size = 2 ** 31
    put('large.png', picture('png'))
    truncateSync(join(root, 'large.png'), size)
    const run = begin({ ...env, UPLOAD_MAX_BYTES: '5000000000' }, args(root))
    const temporary = join(env.DATA_DIR, 'objects', '.temporary')
    await until(
      () => existsSync(temporary) && readdirSync(temporary).some((name) => statSync(join(temporary, name)).size > 0),
    )
    run.interrupt()
    const { code, stdout } = await run.ended
    assert.equal(code, 130)
    assert.match(stdout, /^Imported 0 images as fox \(0 B\), 0 already present, 0 skipped, 0 failed\.\n$/)
    assert.deepEqual([filesBelow(objects), readdirSync(temporary)], [{}, []])
  })
})
