import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { end, start } from '../support/killed-service.ts'
import { clientOf } from '../support/owner-client.ts'
import { callsIn, noTracing, type SystemCall, traced } from '../support/system-calls.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const isAnswer = ({ name, args }: SystemCall) => /^writev?$/.test(name) && /"HTTP\/1\.1 20[01] /.test(args)

describe('A change of an account on SQLite', { skip: noTracing() }, () => {
  it('is synced to disk between its last write and its 2xx', { timeout: 120_000 }, async (t) => {
    const dataDir = testFolder()
    const file = join(dataDir, 'calls.txt')
    const api = await start(dataDir, traced(file, ['fsync', 'fdatasync', 'pwrite64', 'write', 'writev']))
    atEnd(() => end(api))
    const client = await clientOf(api)
    const isOfLog = ({ args }: SystemCall) => args.includes(`<${join(dataDir, 'menagerie.db-wal')}>`)

    const assertSynced = async (title: string, act: () => Promise<{ status: number; text: string }>) => {
      const before = callsIn(file).length
      const { status, text } = await act()
      assert.ok(status === 200 || status === 201, `${title}: ${status} ${text}`)
      await until(() => callsIn(file).slice(before).some(isAnswer), 'the answer to be among the calls')
      const calls = callsIn(file).slice(before)
      const answer = calls.find(isAnswer) ?? assert.fail()
      const writes = calls.filter((call) => call.name === 'pwrite64' && isOfLog(call) && call.end < answer.begin)
      const last = writes.at(-1) ?? assert.fail(`${title}: nothing was written`)
      const isSync = (call: SystemCall) => /^f(data)?sync$/.test(call.name) && isOfLog(call)
      assert.ok(
        calls.some((call) => isSync(call) && call.begin > last.end && call.end < answer.begin),
        `${title}: not synced before the answer`,
      )
      t.diagnostic(`${title}: ${writes.length} writes`)
      return text
    }
    const { user } = JSON.parse(await assertSynced('register', () => client.register('somebody')))
    await assertSynced('login', () => client.login('somebody'))
    const act = (path: string, fields: object) => () =>
      client.post(`/admin/${path}`, { userId: user.id, ...fields }, client.token)
    await assertSynced('ban', act('ban', {}))
    await assertSynced('unban', act('unban', {}))
    await assertSynced('role', act('user/edit/role', { role: 'support' }))
    await assertSynced('rename', act('user/edit/username', { newUsername: 'somebody-else' }))
    await assertSynced('revoke', act('user/revoke-token', {}))
    await assertSynced('delete', act('user/delete', {}))
  })
})
