import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { cliOrigin } from '../../src/accounts/audit.ts'
import { newAccount } from '../../src/accounts/users.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { sized } from '../support/size.ts'
import { type Store, stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { tool, toolHere, toolJson } from './tool.ts'

const password = 'correct horse battery'

for (const store of stores) {
  describe(`Accounts on the command line, ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    const run = (...args: string[]) => tool(place.env, args)
    const create = (name: string, ...args: string[]) => toolJson(place.env, ['user', 'create', name, ...args], password)
    const show = async (who: string) => (await toolJson(place.env, ['user', 'show', who])).user
    const names = async (...args: string[]) =>
      (await toolJson(place.env, ['user', 'list', ...args])).users.map((user: { username: string }) => user.username)

    before(async () => {
      place = await store.make()
      await create('Alice', '--role', 'admin')
      await create('under_score')
      await create('underXscore')
      await create('__proto__')
      await create('hyphen')
    })

    it('the first account creates the database', async () => {
      assert.equal((await toolJson(place.env, ['db', 'status'])).state, 'ready')
    })

    it('an account is found by name in any case, and by id', async () => {
      const byName = await show('aLICE')
      assert.deepEqual(byName, await show(byName.id))
      assert.deepEqual(byName, await show(byName.id.toUpperCase()))
      const { id, createdAt, updatedAt, ...rest } = byName
      assert.deepEqual(rest, { username: 'Alice', role: 'admin', banned: false, ban: null, hasToken: false })
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(updatedAt, createdAt)
    })

    it('no output contains a hash', async () => {
      for (const args of [
        ['user', 'show', 'alice'],
        ['user', 'list'],
        ['user', 'list', '--json'],
      ])
        assert.doesNotMatch((await run(...args)).stdout, /argon2|\$/)
    })

    it('a list is sorted by creation, and its filters combine', async () => {
      assert.deepEqual(await names(), ['Alice', 'under_score', 'underXscore', '__proto__', 'hyphen'])
      assert.deepEqual(await names('--role', 'admin'), ['Alice'])
      assert.deepEqual(await names('--role', 'user', '--query', 'UNDER'), ['under_score', 'underXscore'])
      assert.deepEqual(await names('--banned'), [])
    })

    it('a query has no wildcards or other special characters', async () => {
      assert.deepEqual(await names('--query', 'r_s'), ['under_score'])
      assert.deepEqual(await names('--query', '%'), [])
      assert.deepEqual(await names('--query', '\\'), [])
      assert.deepEqual(await names('--query', "'"), [])
    })

    it('a list is aligned, with a heading and ISO times', async () => {
      const lines = (await run('user', 'list', '--query', 'alice')).stdout.split('\n')
      assert.match(lines[0] ?? '', /^USERNAME {2}ROLE {3}BANNED {2}CREATED {19}ID$/)
      assert.match(lines[1] ?? '', /^Alice {5}admin {2}no {6}\d{4}-\d\d-\d\dT[\d:.]+Z {2}[0-9a-f-]{36}$/)
    })

    it('a list longer than a page shows each account once', async () => {
      const count = sized(501, 501, 1_001)
      const accounts = await UserStoreForTests.open(place)
      const ban = { reason: null, since: 1, until: null, by: null }
      const seed = { role: 'support', passwordHash: 'x', tokenHash: null, now: 1 } as const
      for (let i = 0; i < count; i += 1) {
        const account = newAccount({ ...seed, id: `many-${1e6 + i}`, username: `many-${i}` })
        await accounts.users.insert({ ...account, banned: true, ban }, { action: 'create', by: cliOrigin })
      }
      await accounts.close()
      const many: string[] = await names('--role', 'support', '--banned')
      assert.equal(many.length, count)
      assert.equal(new Set(many).size, count)
      const lines = (await run('user', 'list', '--role', 'support')).stdout.trim().split('\n')
      assert.equal(lines.length, count + 1)
      assert.equal(new Set(lines.slice(1).map((line) => line.indexOf('support'))).size, 1)
    })

    it('a command without effect changes nothing, and says so', async () => {
      const before = await show('under_score')
      assert.equal(
        (await run('user', 'set-role', 'under_score', 'user', '--yes')).stdout,
        'under_score is already user; nothing was changed.\n',
      )
      assert.equal(
        (await run('user', 'unban', 'under_score')).stdout,
        'under_score is not banned; nothing was changed.\n',
      )
      assert.equal((await run('user', 'revoke', 'under_score', '--yes')).stdout, 'There was nothing to change.\n')
      assert.deepEqual(await show('under_score'), before)
      assert.equal((await toolJson(place.env, ['user', 'ban', 'under_score', '--yes'])).changed, true)
      const banned = await show('under_score')
      assert.equal((await toolJson(place.env, ['user', 'ban', 'under_score', '--yes'])).changed, false)
      assert.deepEqual(await show('under_score'), banned)
    })

    it('an unknown user is exit code 1, with the name', async () => {
      for (const args of [
        ['show'],
        ['ban', '--yes'],
        ['unban'],
        ['revoke', '--yes'],
        ['set-password', '--yes'],
        ['delete', '--yes'],
      ]) {
        const { code, stdout, stderr } = await toolHere(place.env, ['user', ...args, 'nobody'], password)
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
        assert.equal(stderr, 'No user "nobody"; run user list to see all users.\n')
      }
    })

    it('an invalid username is refused before the password prompt', async () => {
      for (const name of ['ab', 'a'.repeat(33), 'a b', 'ä-name', '']) {
        const { code, stderr } = await toolHere(place.env, ['user', 'create', name])
        assert.equal(code, 1, name)
        assert.match(stderr, /^Username ".*": expected 3 to 32 letters/)
      }
    })

    it('a username that begins with a hyphen works after --', async () => {
      assert.equal((await tool(place.env, ['user', 'create', '--', '--yes'], password)).code, 0)
      assert.equal((await run('user', 'show', '--', '--yes')).code, 0)
    })

    it('an invalid role is wrong usage, and the message lists the valid ones', async () => {
      for (const args of [
        ['set-role', 'alice', 'boss', '--yes'],
        ['create', 'new-one', '--role', 'boss'],
        ['list', '--role', 'boss'],
      ]) {
        const { code, stderr } = await run('user', ...args)
        assert.equal(code, 2)
        assert.match(stderr, /boss.*user, support, moderator, admin, owner/)
      }
      assert.equal((await show('alice')).role, 'admin')
    })

    it('with --json an error is one document on standard error and nothing on standard output', async () => {
      const { code, stdout, stderr } = await run('user', 'show', 'nobody', '--json')
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.deepEqual(JSON.parse(stderr), { error: 'No user "nobody"; run user list to see all users.' })
      const wrong = await run('user', 'frobnicate', '--json')
      assert.equal(wrong.code, 2)
      assert.deepEqual(Object.keys(JSON.parse(wrong.stderr)), ['error'])
    })
  })
}

it('A database that the tool makes is named, in case it was to be that of a service', async () => {
  const env = { DATA_DIR: testFolder() }
  const made = await tool(env, ['user', 'create', 'first'], password)
  assert.match(
    made.stderr,
    /^Made .*menagerie\.db\. If a service has accounts elsewhere, check DATA_DIR and DATABASE_URL\.\n$/,
  )
  assert.equal((await tool(env, ['user', 'create', 'second'], password)).stderr, '')
})
