import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Store, stores } from '../support/stores.ts'
import { atTerminal, tool, toolJson } from './tool.ts'

const password = 'correct horse battery'
const destructive = [
  ['ban', 'bob'],
  ['revoke', 'bob'],
  ['set-role', 'bob', 'support'],
  ['set-password', 'bob'],
  ['rename', 'bob', 'robert'],
  ['delete', 'bob'],
]

describe('the confirmation of destructive commands', () => {
  let place: Awaited<ReturnType<Store['make']>>
  const show = async (who: string) => (await toolJson(place.env, ['user', 'show', who])).user
  const answer = (args: string[], typed: string) =>
    atTerminal(place.env, ['user', ...args], [{ asked: '[y/N]', typed }])

  before(async () => {
    place = await (stores[0] as Store).make()
    await toolJson(place.env, ['owner', 'create', 'Olivia'], password)
    await toolJson(place.env, ['user', 'create', 'bob', '--role', 'moderator'], password)
    const database = await place.open()
    await database.kysely.updateTable('users').set({ token_hash: 'a token' }).where('username', '=', 'bob').execute()
  })

  for (const args of destructive) {
    it(`${args[0]}: needs a terminal or --yes`, async () => {
      const before = await show('bob')
      const ran = await tool(place.env, ['user', ...args], password)
      assert.deepEqual(ran, {
        code: 2,
        stdout: '',
        stderr: 'No terminal for the confirmation; pass --yes to skip it.\n',
      })
      assert.deepEqual(await show('bob'), before)
    })

    it(`${args[0]}: changes nothing unless the answer is yes`, async () => {
      const before = await show('bob')
      for (const typed of ['n\r', '\r', 'yeah\r', '\u0003', '\u0004']) {
        const { code, screen } = await answer(args, typed)
        assert.equal(code, 1, JSON.stringify(typed))
        assert.match(screen, /^bob \(moderator\) will /)
        assert.match(screen, /nothing was changed/)
      }
      assert.deepEqual(await show('bob'), before)
    })
  }

  it('runs the command after yes, and prints what it did', async () => {
    const { code, screen } = await answer(['ban', 'bob'], 'y\r')
    assert.equal(code, 0)
    assert.match(screen, /bob is banned\.\n$/)
    assert.equal((await show('bob')).banned, true)
  })

  it('is not needed for unban, which accepts --yes', async () => {
    for (const yes of [[], ['--yes']]) {
      await toolJson(place.env, ['user', 'ban', 'bob', '--yes'])
      assert.equal((await tool(place.env, ['user', 'unban', 'bob', ...yes])).code, 0)
      assert.equal((await show('bob')).banned, false)
    }
  })

  it('warns before demoting or banning the last owner', async () => {
    for (const args of [
      ['ban', 'olivia'],
      ['set-role', 'Olivia', 'admin'],
    ]) {
      const { screen } = await answer(args, 'n\r')
      assert.match(screen, /This is the last owner/)
    }
    assert.doesNotMatch((await answer(['revoke', 'bob'], 'n\r')).screen, /last owner/)
    await toolJson(place.env, ['owner', 'create', 'second-owner'], password)
    assert.doesNotMatch((await answer(['ban', 'olivia'], 'n\r')).screen, /last owner/)
    await toolJson(place.env, ['user', 'ban', 'second-owner', '--yes'])
    assert.match((await answer(['ban', 'olivia'], 'n\r')).screen, /This is the last owner/)
    assert.equal((await answer(['delete', 'olivia'], 'y\r')).screen, 'The last owner cannot be deleted.\n')
  })

  it('does not overwrite a change made while it was open', async () => {
    const meanwhile = () => toolJson(place.env, ['user', 'set-role', 'bob', 'admin', '--yes'])
    const { code, screen } = await atTerminal(
      place.env,
      ['user', 'set-role', 'bob', 'support'],
      [{ asked: '[y/N]', typed: 'y\r', meanwhile }],
    )
    assert.equal(code, 1)
    assert.match(screen, /changed in the meantime, so this command changed nothing/)
    assert.equal((await show('bob')).role, 'admin')
  })

  it('is asked before the password prompt', async () => {
    const { code, screen } = await atTerminal(
      place.env,
      ['user', 'set-password', 'bob'],
      [
        { asked: '[y/N]', typed: 'y\r' },
        { asked: 'New password for bob', typed: 'another password\r' },
        { asked: 'Repeat', typed: 'another password\r' },
      ],
    )
    assert.equal(code, 0)
    assert.doesNotMatch(screen, /another/)
    assert.match(screen, /bob has a new password and is signed out everywhere/)
    assert.match(screen, /Wrong passwords from before still count for a while, or until the API restarts\./)
    const withRedis = { ...place.env, REDIS_URL: 'redis://127.0.0.1:1' }
    const { stdout } = await tool(withRedis, ['user', 'set-password', 'bob', '--yes'], 'another password')
    assert.match(stdout, /still count for a while; to forget those for the name, run: limits reset bob$/m)
    assert.equal((await show('bob')).hasToken, false)
  })
})
