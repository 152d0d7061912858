import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, type ProgramOptions, Running } from './processes.ts'

/** It ends by itself with exit code 1, one line on standard error and nothing on standard output. */
async function refusal(t: TestContext, program: Program, options: ProgramOptions): Promise<string> {
  const running = await Running.start(t, program, options)
  const { code } = await running.ended
  await running.closed
  assert.equal(code, 1, running.err)
  assert.match(running.err, /^[^\n]+\n$/)
  assert.equal(running.out, '')
  return running.err
}

function folderOf(t: TestContext): string {
  const folder = temporaryFolder()
  t.after(() => folder.remove())
  return folder.path
}

describe('A start that cannot succeed', { concurrency: 4, timeout: 30_000 }, () => {
  for (const [program, env, expected] of [
    ['api', { PORT: '70000' }, /^api: PORT: expected a port from 1 to 65535, got "70000"$/m],
    ['api', { STATUS_PORT: 'x' }, /^api: STATUS_PORT: expected a port/],
    [
      'api',
      { JWT_SECRET: 'hunter2-hunter2' },
      /^api: JWT_SECRET: expected at least 32 bytes of UTF-8, got another value$/m,
    ],
    [
      'api',
      { JWT_SECRET_FILE: '/nowhere' },
      /^api: JWT_SECRET_FILE: expected a readable file, got "\/nowhere" \(ENOENT\)$/m,
    ],
    [
      'api',
      { DATABASE_URL: 'mysql://root:hunter2@localhost/x' },
      /^api: DATABASE_URL: expected a URL that starts with postgres:\/\//,
    ],
    ['api', { HOST: 'no-such-host.invalid' }, /^api: HOST: expected an address of this machine \(E\w+\)$/m],
    ['api', { HOST: '192.0.2.1' }, /^api: HOST: expected an address of this machine \(EADDRNOTAVAIL\)$/m],
    [
      'api',
      { OWNER_USERNAME: 'owner', OWNER_PASSWORD: 'hunter2' },
      /^api: OWNER_PASSWORD: expected at least 8 characters/,
    ],
    [
      'status-worker',
      { STATUS_ALLOW: 'everybody' },
      /^status worker: STATUS_ALLOW: expected comma-separated addresses/,
    ],
    ['status-worker', { STATUS_HOST: 'no-such-host.invalid' }, /^status worker: STATUS_HOST: expected an address/],
    ['start', { TRUST_PROXY: 'true' }, /^menagerie: TRUST_PROXY: expected comma-separated addresses/],
  ] as const) {
    it(`says why in one line, without a secret, within 2 s: ${program} with ${Object.keys(env).join(' and ')}`, async (t) => {
      const line = await refusal(t, program, { env })
      assert.match(line, expected)
      assert.doesNotMatch(line, /hunter2/)
    })
  }

  for (const [program, variable] of [
    ['api', 'PORT'],
    ['status-worker', 'STATUS_PORT'],
  ] as const) {
    it(`names ${variable} when its port is in use`, async (t) => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      t.after(() => taken.close())
      const { port } = taken.address() as { port: number }
      const line = await refusal(t, program, { env: { [variable]: String(port) } })
      assert.match(line, new RegExp(`${variable}: ${port} on 127\\.0\\.0\\.1 is in use`))
    })
  }

  it('names DATA_DIR when that lies under a regular file', async (t) => {
    const file = join(folderOf(t), 'file')
    writeFileSync(file, '')
    assert.match(
      await refusal(t, 'api', { env: { DATA_DIR: join(file, 'data') } }),
      /^api: DATA_DIR: expected a folder that can be written to, got .* \(E\w+\)$/m,
    )
  })

  it('names DATA_DIR when that is a regular file', async (t) => {
    const file = join(folderOf(t), 'file')
    writeFileSync(file, 'precious')
    assert.match(await refusal(t, 'api', { env: { DATA_DIR: file } }), /^api: DATA_DIR: expected a folder/)
  })

  for (const [title, content, mode, expected] of [
    ['may be read by others', 'x'.repeat(43), 0o644, /jwt-secret: expected mode 0600/],
    ['is empty', '', 0o600, /jwt-secret: expected at least 32 bytes/],
    ['is short', 'hunter2', 0o600, /jwt-secret: expected at least 32 bytes/],
  ] as const) {
    it(`names the file of the secret when that ${title}, and leaves it as it is`, {
      skip: process.platform === 'win32' && 'no modes there',
    }, async (t) => {
      const dataDir = folderOf(t)
      const path = join(dataDir, 'jwt-secret')
      writeFileSync(path, content, { mode })
      chmodSync(path, mode)
      const line = await refusal(t, 'api', { dataDir })
      assert.match(line, expected)
      assert.doesNotMatch(line, /hunter2|xxx/)
      assert.equal(existsSync(path), true)
    })
  }

  it('ends in one line too when the database file is no database', async (t) => {
    const dataDir = folderOf(t)
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'menagerie.db'), 'this is no database at all, '.repeat(200))
    assert.match(await refusal(t, 'api', { dataDir }), /menagerie\.db/)
  })
})
