import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { end, owner, start } from '../support/killed-service.ts'
import { callsIn, noTracing, type SystemCall, traced } from '../support/system-calls.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const isSync = ({ name }: SystemCall) => /^f(data)?sync$/.test(name)
const of = (path: string) => (call: SystemCall) => call.args.includes(`<${path}>`)
const isAnswer = ({ name, args }: SystemCall) => /^writev?$/.test(name) && args.includes('HTTP/1.1 200 OK')

describe('An upload to the folder store', { skip: noTracing() }, () => {
  it('is synced to disk, file and record and folder, each before the next step and all before its 200', {
    timeout: 120_000,
  }, async () => {
    const dataDir = testFolder()
    const file = join(dataDir, 'calls.txt')
    const names = ['fsync', 'fdatasync', 'rename', 'renameat', 'renameat2', 'unlink', 'write', 'writev']
    const api = await start(dataDir, traced(file, names))
    atEnd(() => end(api))
    const ask = (method: string, path: string, headers: Record<string, string>, body: string | Uint8Array) =>
      fetch(`${api.url}${path}`, { method, headers: { connection: 'close', ...headers }, body })
    const login = await ask('POST', '/auth/login', { 'content-type': 'application/json' }, JSON.stringify(owner))
    const { accessToken } = (await login.json()) as { accessToken: string }
    const authorization = { authorization: accessToken }
    const bucket = join(dataDir, 'objects/images')
    const object = join(bucket, 'fox/new-folder/durable.png')

    const calls = async (act: Promise<Response>) => {
      const before = callsIn(file).length
      assert.equal((await act).status, 200)
      await until(() => callsIn(file).slice(before).some(isAnswer), 'the answer to be among the calls')
      return callsIn(file).slice(before)
    }
    const where = '/admin/s3/upload?bucketName=images&objectName=fox/new-folder/durable.png'
    const upload = await calls(
      ask('POST', where, { ...authorization, 'content-type': 'image/png' }, randomBytes(9_000)),
    )
    const rename = upload.find(({ args }) => args.includes(`"${object}"`)) ?? assert.fail('no rename')
    const temporary = /^"([^"]+)"/.exec(rename.args)?.[1] ?? ''
    assert.match(temporary, /\/objects\/\.temporary\//)
    const isRecord = ({ args }: SystemCall) => /<[^>]*\/objects\/\.details\/images\/[0-9a-f]{3}\/[^/>]+>/.test(args)
    const isRecordFolder = ({ args }: SystemCall) => /<[^>]*\/objects\/\.details\/images\/[0-9a-f]{3}>/.test(args)
    for (const [what, isIt] of [
      ['the file', of(temporary)],
      ['the record', isRecord],
      ["the record's folder", isRecordFolder],
      ['the folder of the new folder', of(join(bucket, 'fox'))],
    ] as const)
      assert.ok(
        upload.some((call) => isSync(call) && isIt(call) && call.end < rename.begin),
        `${what} is not synced before the rename`,
      )
    const answer = upload.find(isAnswer) ?? assert.fail()
    const folder = of(join(bucket, 'fox/new-folder'))
    assert.ok(
      upload.some((call) => isSync(call) && folder(call) && call.begin > rename.end && call.end < answer.begin),
      'the folder is not synced between the rename and the answer',
    )

    const body = JSON.stringify({ bucketName: 'images', objectName: 'fox/new-folder/durable.png' })
    const headers = { ...authorization, 'content-type': 'application/json' }
    const removal = await calls(ask('DELETE', '/admin/s3/delete', headers, body))
    const unlink = removal.find(({ name, args }) => name === 'unlink' && args.includes(object)) ?? assert.fail()
    const ended = removal.find(isAnswer) ?? assert.fail()
    assert.ok(
      removal.some((call) => isSync(call) && folder(call) && call.begin > unlink.end && call.end < ended.begin),
      'the folder is not synced between the removal and the answer',
    )
  })
})
