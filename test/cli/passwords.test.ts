import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { argon2Hasher } from '../../src/drivers/accounts/argon2.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { itInFull, someOf } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { type Store, stores } from '../support/stores.ts'
import { atLeast } from '../support/until.ts'
import { atTerminal, tool, toolHere, toolJson } from './tool.ts'

describe('Passwords on the command line', () => {
  let place: Awaited<ReturnType<Store['make']>>
  let count = 0
  let name = ''
  const hashOf = async (who: string) => {
    const accounts = await UserStoreForTests.open(place)
    const account = await accounts.users.find({ username: who })
    await accounts.close()
    return account?.passwordHash ?? ''
  }
  const isPassword = async (who: string, password: string) => argon2Hasher.verify(await hashOf(who), password)

  before(async () => {
    place = await (stores[0] as Store).make()
    await toolJson(place.env, ['user', 'create', 'first'], 'correct horse battery')
  })
  beforeEach(() => {
    name = `person-${++count}`
  })

  it('a password on the command line is refused, and not repeated in the message', async () => {
    for (const args of [
      ['user', 'create', name, 'hunter2-secret'],
      ['owner', 'create', name, 'hunter2-secret'],
      ['user', 'create', name, '--password', 'hunter2-secret'],
      ['user', 'create', name, '--password=hunter2-secret'],
      ['user', 'set-password', 'first', 'hunter2-secret', '--yes'],
      ['user', 'set-password', 'first', '--password=hunter2-secret', '--yes'],
    ]) {
      const { code, stdout, stderr } = await tool(place.env, args, 'correct horse battery')
      assert.equal(code, 2, args.join(' '))
      assert.doesNotMatch(stdout + stderr, /hunter2/)
    }
    assert.equal(await isPassword('first', 'hunter2-secret'), false)
  })

  it('only one trailing newline of standard input is stripped from the password', async () => {
    const kept = ['plain enough', '  spaces around  ', 'pässwört 👾👾', '\ufeffwith a mark', 'tab\tinside']
    const sent = kept.flatMap((password) => ['', '\n', '\r\n'].map((ending) => ({ password, ending })))
    for (const [index, { password, ending }] of someOf(8, sent).entries()) {
      assert.equal((await toolHere(place.env, ['user', 'create', `${name}-${index}`], password + ending)).code, 0)
      assert.ok(await isPassword(`${name}-${index}`, password), JSON.stringify(password + ending))
    }
  })

  itInFull(
    'the first newline ends the password, even if standard input stays open, and it is hashed at the shipped cost',
    async () => {
      const binary = fileURLToPath(new URL('../../src/bin/cli.ts', import.meta.url))
      const child = spawn(process.execPath, [binary, 'user', 'create', name], {
        env: place.env,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.stdin.on('error', () => {})
      child.stdin.write('correct horse')
      await atLeast(50)
      child.stdin.write(' battery\n')
      assert.deepEqual(await once(child, 'exit'), [0, null])
      assert.ok(await isPassword(name, 'correct horse battery'))
      assert.match(await hashOf(name), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    },
  )

  it('a missing password, several lines, and invalid UTF-8 are refused', async () => {
    const refused: [string | Uint8Array, RegExp][] = [
      ['', /No password on standard input/],
      ['\n', /No password on standard input/],
      ['first line\nsecond line\n', /More than one line/],
      [Buffer.from([0xff, 0xfe, ...Buffer.from('12345678')]), /not valid UTF-8/],
    ]
    for (const [input, reason] of refused) {
      const { code, stderr } = await tool(place.env, ['user', 'create', name], input)
      assert.equal(code, 1)
      assert.match(stderr, reason)
    }
  })

  it('the password rule, message and setting of the service apply', async () => {
    const words = (least: number) => `Password must be at least ${least} characters and at most 1024 bytes\n`
    for (const password of ['1234567', '👾👾👾👾👾👾👾', 'x'.repeat(1025), 'x'.repeat(100_000)]) {
      const ran = await toolHere(place.env, ['user', 'create', name], password)
      assert.deepEqual(ran, { code: 1, stdout: '', stderr: words(8) })
    }
    const strict = { ...place.env, PASSWORD_MIN_LENGTH: '12' }
    assert.equal((await tool(strict, ['user', 'create', name], 'only eleven')).stderr, words(12))
    assert.equal((await tool(place.env, ['user', 'set-password', 'first', '--yes'], 'short')).stderr, words(8))
    assert.ok(await isPassword('first', 'correct horse battery'))
    assert.equal((await tool(place.env, ['user', 'create', name], 'x'.repeat(1024))).code, 0)
  })

  it('on a terminal it is prompted for twice, without echo', async () => {
    const { code, screen } = await atTerminal(
      place.env,
      ['user', 'create', name],
      [
        { asked: `New password for ${name}: `, typed: 'correcz\u007ft horse\r' },
        { asked: 'Repeat the password: ', typed: 'correct horse\r' },
      ],
    )
    assert.equal(code, 0)
    assert.doesNotMatch(screen, /corr|horse/)
    assert.ok(await isPassword(name, 'correct horse'))
  })

  it('two different passwords, a short one, Ctrl-C and Ctrl-D create no account', async () => {
    const first = { asked: 'New password', typed: 'correct horse\r' }
    const attempts = [
      {
        exchanges: [first, { asked: 'Repeat', typed: 'correct house\r' }],
        said: /The passwords do not match; nothing was changed/,
      },
      { exchanges: [{ asked: 'New password', typed: 'short\r' }], said: /at least 8 characters/ },
      { exchanges: [{ asked: 'New password', typed: 'corr\u0003' }], said: /Cancelled; nothing was changed/ },
      { exchanges: [first, { asked: 'Repeat', typed: '\u0004' }], said: /Cancelled; nothing was changed/ },
    ]
    for (const { exchanges, said } of attempts) {
      const { code, screen, unasked } = await atTerminal(place.env, ['user', 'create', name], exchanges)
      assert.equal(code, 1)
      assert.match(screen, said)
      assert.deepEqual(unasked, [])
    }
    assert.equal((await tool(place.env, ['user', 'show', name])).code, 1)
  })
})
