import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sections } from '../../src/config/settings.ts'
import { prepareDataDir } from '../../src/drivers/data-dir.ts'
import { testFolder } from '../support/test-folder.ts'
import { tool, toolJson } from './tool.ts'

interface Shown {
  name: string
  value: string | null
  source: string
  file: string | null
}

describe('config check', () => {
  const settingsOf = async (env: Record<string, string>) => {
    const { settings } = await toolJson(env, ['config', 'check'])
    return new Map((settings as Shown[]).map((setting) => [setting.name, setting]))
  }

  it('shows every setting of the table but those of the tests, and those of each target by their real names', async () => {
    const { Tests: _, ...used } = sections
    const table = Object.values(used).flatMap((section) => Object.keys(section))
    const real = table.filter((name) => !name.startsWith('STATUS_TARGET_<NAME>_'))
    assert.equal(table.length - real.length, 8)
    assert.deepEqual([...(await settingsOf({})).keys()], real)
    const phone = { STATUS_TARGET_PHONE_KIND: 'ntfy', STATUS_TARGET_PHONE_URL: 'http://127.0.0.1:1/zoo' }
    const shown = [...(await settingsOf({ STATUS_TARGETS: 'phone', ...phone })).keys()]
    assert.deepEqual(
      shown.filter((name) => name.startsWith('STATUS_TARGET_')),
      table.filter((name) => !real.includes(name)).map((name) => name.replace('<NAME>', 'PHONE')),
    )
    assert.equal(shown.length, table.length)
  })

  it('shows the source of each: set, default or file; an empty variable counts as unset', async () => {
    const folder = testFolder()
    const file = join(folder, 'secret')
    writeFileSync(file, 'a secret in a file, long enough for it\n')
    const shown = await settingsOf({ PORT: '8080', HOST: '', JWT_SECRET_FILE: file })
    const look = (name: string) => {
      const { value, source, file: from } = shown.get(name) as Shown
      return { value, source, file: from }
    }
    assert.deepEqual(look('PORT'), { value: '8080', source: 'set', file: null })
    assert.deepEqual(look('HOST'), { value: 'localhost', source: 'default', file: null })
    assert.deepEqual(look('JWT_SECRET'), { value: '****', source: 'file', file })
    assert.deepEqual(look('DATABASE_URL'), { value: null, source: 'default', file: null })
    const { stdout } = await tool({ JWT_SECRET_FILE: file, PORT: '8080' }, ['config', 'check'])
    assert.match(stdout, /^ {2}PORT +8080 +set$/m)
    assert.ok(stdout.includes(`from file ${file}`))
  })

  it('fails for an address that is not of this machine, and for a logo that cannot be read, as the start does', async () => {
    const failure = async (env: Record<string, string>) => {
      const { code, stderr } = await tool(env, ['config', 'check'])
      assert.equal(code, 1)
      return stderr
    }
    for (const setting of ['HOST', 'STATUS_HOST'])
      assert.match(
        await failure({ [setting]: '192.0.2.1' }),
        new RegExp(`^${setting}: expected an address of this machine, got "192\\.0\\.2\\.1" \\(EADDRNOTAVAIL\\)$`, 'm'),
      )
    assert.match(
      await failure({ HOST: 'fe80::1' }),
      /^HOST: expected an address of this machine, got "fe80::1" \(E[A-Z]+\)$/m,
    )
    for (const setting of ['SITE_LOGO', 'STATUS_PAGE_LOGO'])
      assert.match(
        await failure({ [setting]: '/nope.png' }),
        new RegExp(`^${setting}: expected a PNG .* got ENOENT`, 'm'),
      )
  })

  it('fails for a DATA_DIR that is a file, below one, or a link to nothing, as the start of the API does, and creates none', async () => {
    const folder = testFolder()
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const link = join(folder, 'link')
    symlinkSync(join(folder, 'nothing'), link)
    for (const [path, reason] of [
      [file, 'ENOTDIR'],
      [join(file, 'data'), 'ENOTDIR'],
      [link, 'ENOENT'],
      [join(link, 'data'), 'ENOENT'],
    ] as const) {
      const { code, stdout, stderr } = await tool({ DATA_DIR: path }, ['config', 'check'])
      const said = `DATA_DIR: expected a writable folder, got ${JSON.stringify(path)} (${reason})\n`
      assert.deepEqual([code, stdout, stderr], [1, '', said])
      assert.throws(() => prepareDataDir(path), { message: said.trim() })
    }
    const { code, stderr } = await tool({ DATA_DIR: join(folder, 'a', 'b') }, ['config', 'check'])
    assert.equal(code, 0)
    assert.doesNotMatch(stderr, /DATA_DIR/)
    assert.equal(existsSync(join(folder, 'a')), false)
  })

  it('ends with the number of warnings, if there are any', async () => {
    const seen = async (env: Record<string, string>) => {
      const { stdout, stderr } = await tool(env, ['config', 'check'])
      return [stdout.split('\n').at(-2), stderr.match(/^Warning: /gm)?.length ?? 0] as const
    }
    const [plain, always] = await seen({})
    assert.equal(plain, always === 0 ? 'All settings are valid.' : `All settings are valid; warnings: ${always}.`)
    const [last, count] = await seen({ STATUS_PORT: '3000', S3_BUKET: 'x' })
    assert.deepEqual([last, count - always], [`All settings are valid; warnings: ${count}.`, 2])
  })

  it('warns of a DATA_DIR, or a folder for it, that only others may write', () => {
    const folder = testFolder()
    chmodSync(folder, 0o555)
    const module = new URL('../../src/drivers/data-dir.ts', import.meta.url).href
    const found = (path: string) =>
      execFileSync(process.execPath, [
        '--input-type=module',
        '--eval',
        `import { checkDataDir } from ${JSON.stringify(module)}
        if (process.getuid() === 0) process.setuid(65534)
        console.log(checkDataDir(${JSON.stringify(path)})?.message)`,
      ]).toString()
    for (const path of [folder, join(folder, 'data')]) assert.match(found(path), /^DATA_DIR: .* \(EACCES\)$/m)
  })

  it('shows no secret, whatever its source', async () => {
    const secrets = Object.values(sections)
      .flatMap((section) => Object.entries(section))
      .filter(([, spec]) => 'secret' in spec && spec.secret)
      .map(([name]) => name)
    assert.ok(secrets.length > 5)
    const values = Object.fromEntries(
      secrets.map((name) => [
        name,
        name.endsWith('REDIS_URL')
          ? 'redis://x:hunter2-secret@h'
          : /^STATUS_(TARGET.*|PING)_URL$/.test(name)
            ? 'https://h/hunter2-secret'
            : name.endsWith('_URL')
              ? 'postgres://x:hunter2-secret@h/d'
              : name.endsWith('COMPONENTS')
                ? 'api=hunter2-secret'
                : `hunter2-secret of ${name}, long enough`,
      ]),
    )
    for (const args of [[], ['--json']]) {
      const { code, stdout, stderr } = await tool({ ...values, OWNER_USERNAME: 'olivia' }, ['config', 'check', ...args])
      assert.equal(code, 0, stderr)
      assert.doesNotMatch(stdout + stderr, /hunter2/)
    }
  })

  it('an invalid value is exit code 1, with the line that a start would print', async () => {
    const bad = await tool({ PORT: '99999' }, ['config', 'check'])
    assert.deepEqual(bad, { code: 1, stdout: '', stderr: 'PORT: expected a port from 1 to 65535, got "99999"\n' })
    const secret = await tool({ JWT_SECRET: 'hunter2' }, ['config', 'check', '--json'])
    assert.equal(secret.code, 1)
    assert.deepEqual(JSON.parse(secret.stderr), {
      error: 'JWT_SECRET: expected at least 32 bytes of UTF-8, got an invalid value',
    })
  })

  it('names all invalid settings at once, those of targets too, and misspelt ones even then', async () => {
    const env = { PORT: 'x', STATUS_TARGETS: 'phone', STATUS_TARGET_PHONE_KIND: 'ntfi', STATUS_PAGE_COMPONENT: 'a=A' }
    const { code, stderr } = await tool(env, ['config', 'check'])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^Warning: STATUS_PAGE_COMPONENT is .* STATUS_PAGE_COMPONENTS\?\nPORT: .*; STATUS_TARGET_PHONE_KIND: .*, got "ntfi"\n$/,
    )
  })

  it('a setting that lacks another one is exit code 1, too, and all targets that lack one are named', async () => {
    for (const [env, line] of [
      [{ S3_ENDPOINT: 'http://127.0.0.1:1', S3_SECRET_ACCESS_KEY: 'x' }, 'S3_ACCESS_KEY_ID: expected'],
      [{ REDIS_URL: 'redis://127.0.0.1:1/x' }, 'REDIS_URL: '],
      [{ STATUS_TARGETS: 'phone', STATUS_TARGET_PHONE_KIND: 'ntfy' }, 'STATUS_TARGET_PHONE_URL: expected a URL'],
    ] as const) {
      const { code, stderr } = await tool(env, ['config', 'check'])
      assert.equal(code, 1, stderr)
      assert.ok(stderr.startsWith(line), stderr)
    }
    const targets = { STATUS_TARGET_A_KIND: 'webhook', STATUS_TARGET_A_URL: 'http://127.0.0.1:1/' }
    const both = { STATUS_TARGETS: 'a,phone', STATUS_TARGET_PHONE_KIND: 'ntfy', ...targets }
    const { stderr } = await tool(both, ['config', 'check'])
    assert.match(stderr, /^STATUS_TARGET_A_TOKEN: .*; STATUS_TARGET_PHONE_URL: expected a URL/)
  })

  it('an invalid setting stops every other command, too', async () => {
    for (const args of [
      ['user', 'list'],
      ['db', 'status'],
      ['user', 'create', 'alice'],
    ])
      assert.equal((await tool({ PORT: 'x' }, args)).code, 1)
  })
})
