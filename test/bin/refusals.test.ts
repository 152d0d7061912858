import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { api } from '../../src/api/main.ts'
import { readConfig } from '../../src/config/config.ts'
import { readOrMakeSecret } from '../../src/drivers/accounts/jwt-secret.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs } from '../../src/process/logger.ts'
import { refusalOf } from '../../src/process/run.ts'
import { isFullSize, someOf } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { turns, until } from '../support/until.ts'
import { type Program, type ProgramOptions, Running } from './processes.ts'

/** Expects exit code 1, one line on standard error, which it returns, and nothing on standard output. */
async function refusal(program: Program, options: ProgramOptions): Promise<string> {
  const running = await Running.start(program, options)
  // A program that starts after all says so, and would not end.
  await until(() => running.out !== '' || running.child.exitCode !== null)
  assert.equal(running.out, '')
  const { code } = await running.ended
  await running.closed
  assert.equal(code, 1, running.err)
  assert.match(running.err, /^[^\n]+\n$/)
  assert.equal(running.out, '')
  const { level, time, msg } = JSON.parse(running.err)
  assert.equal(level, 'fatal')
  assert.ok(time)
  return msg
}

/** The same in this process, since a separate one takes 0.3 s of CPU. */
async function apiRefusalHere({ env, dataDir = testFolder() }: ProgramOptions): Promise<string> {
  const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', SAMPLE_IMAGES: 'false', ...env })
  const logs = createLogs('info', systemClock, { write: (line) => assert.fail(line), flush() {} })
  const startApi = await api.load()
  const error = await startApi(config, { logs, port: 0 }).then(
    () => assert.fail('it started'),
    (reason) => reason,
  )
  const line = refusalOf(api, error)
  assert.match(line, /^[^\n]+$/)
  return line
}

const apiRefusal = isFullSize ? (options: ProgramOptions) => refusal('api', options) : apiRefusalHere

describe('A start that fails', { concurrency: 4 }, () => {
  for (const [program, env, expected] of someOf(2, [
    ['api', { PORT: '70000' }, /^api: PORT: expected a port from 1 to 65535, got "70000"$/m],
    ['api', { STATUS_PORT: 'x' }, /^api: STATUS_PORT: expected a port/],
    [
      'api',
      { JWT_SECRET: 'hunter2-hunter2' },
      /^api: JWT_SECRET: expected at least 32 bytes of UTF-8, got an invalid value$/m,
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
    [
      'api',
      { S3_ENDPOINT: 'http://127.0.0.1:9', S3_ACCESS_KEY_ID: 'key' },
      /^api: S3_SECRET_ACCESS_KEY: expected, since S3_ACCESS_KEY_ID is set$/m,
    ],
    [
      'api',
      { S3_ENDPOINT: 'http://127.0.0.1:9', S3_SESSION_TOKEN: 'hunter2' },
      /^api: S3_ACCESS_KEY_ID: expected, since S3_SECRET_ACCESS_KEY or S3_SESSION_TOKEN is set$/m,
    ],
    [
      'api',
      { HOST: 'no-such-host.invalid' },
      /^api: HOST: expected an address of this machine, got "no-such-host.invalid" \(E\w+\)$/m,
    ],
    [
      'api',
      { HOST: '192.0.2.1' },
      /^api: HOST: expected an address of this machine, got "192\.0\.2\.1" \(EADDRNOTAVAIL\)$/m,
    ],
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
  ] as const)) {
    it(`logs why in one line, without a secret: ${program} with ${Object.keys(env).join(' and ')}`, async () => {
      const line = await refusal(program, { env })
      assert.match(line, expected)
      assert.doesNotMatch(line, /hunter2/)
    })
  }

  for (const [program, variable] of someOf(1, [
    ['status-worker', 'STATUS_PORT'],
    ['api', 'PORT'],
  ] as const)) {
    it(`names ${variable} if its port is in use`, async (t) => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      t.after(() => taken.close())
      const { port } = taken.address() as { port: number }
      const line = await refusal(program, { env: { [variable]: String(port) } })
      assert.match(line, new RegExp(`${variable}: ${port} on 127\\.0\\.0\\.1 is in use`))
    })
  }

  for (const [title, below] of someOf(1, [
    ['it is a regular file', ''],
    ['a regular file is above it', 'data'],
  ] as const))
    it(`names DATA_DIR if ${title}`, async () => {
      const file = join(testFolder(), 'file')
      writeFileSync(file, 'precious')
      assert.match(
        await apiRefusal({ env: { DATA_DIR: join(file, below) } }),
        /^api: DATA_DIR: expected a writable folder, got .* \(E\w+\)$/m,
      )
    })

  for (const [title, content, mode, expected] of someOf(1, [
    ['is readable by others', 'x'.repeat(43), 0o644, /jwt-secret: expected mode 0600/],
    ['is readable by its group', 'x'.repeat(43), 0o640, /jwt-secret: expected mode 0600/],
    ['is writable by its group', 'x'.repeat(43), 0o620, /jwt-secret: expected mode 0600/],
    ['is empty', '', 0o600, /jwt-secret: expected at least 32 bytes/],
    ['is short', 'hunter2', 0o600, /jwt-secret: expected at least 32 bytes/],
  ] as const)) {
    it(`names the secret file if it ${title}, and leaves it unchanged`, {
      skip: process.platform === 'win32' && 'no modes there',
    }, async () => {
      const dataDir = testFolder()
      const path = join(dataDir, 'jwt-secret')
      writeFileSync(path, content, { mode })
      chmodSync(path, mode)
      const line = await apiRefusal({ dataDir })
      assert.match(line, expected)
      assert.doesNotMatch(line, /hunter2|xxx/)
      assert.equal(existsSync(path), true)
    })
  }

  it('ends in one line even if the database file is not a database', async () => {
    const dataDir = testFolder()
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'menagerie.db'), 'this is no database at all, '.repeat(200))
    assert.match(await apiRefusal({ dataDir }), /menagerie\.db/)
  })

  it('names DATA_DIR if the folder cannot be created in an existing one', {
    skip: process.platform !== 'linux' && 'no /proc there',
  }, async () => {
    for (const path of someOf(1, ['/proc/foo', '/proc/foo/bar'])) {
      assert.equal(
        await apiRefusal({ env: { DATA_DIR: path } }),
        `api: DATA_DIR: expected a writable folder, got "${path}" (ENOENT)`,
      )
    }
  })

  it('names DATA_DIR if it is a broken link, and creates nothing', async () => {
    const folder = testFolder()
    symlinkSync(join(folder, 'nowhere'), join(folder, 'data'))
    for (const path of someOf(1, [join(folder, 'data'), join(folder, 'data/below')])) {
      const line = await apiRefusal({ env: { DATA_DIR: path } })
      assert.match(line, /^api: DATA_DIR: expected a writable folder, got .* \(ENOENT\)$/m)
    }
    assert.deepEqual(readdirSync(folder), ['data'])
  })

  /** What the operator has put into DATA_DIR, by name; each is unchanged after the start has failed. */
  for (const [title, name, put, expected] of someOf(2, [
    ['menagerie.db is a folder', 'menagerie.db', putFolder, /^api: DATA_DIR: EISDIR: .*menagerie\.db'; check/],
    ['jwt-secret is a folder', 'jwt-secret', putFolder, /jwt-secret: expected a regular file; move it away/],
    ['jwt-secret is a broken link', 'jwt-secret', putLink, /jwt-secret: expected a file, got a dangling symbolic link/],
    ['jwt-secret is a pipe', 'jwt-secret', putPipe, /jwt-secret: expected a regular file; move it away/],
    ['objects is a file', 'objects', putFile, /objects.images: expected a folder \(ENOTDIR\)/],
    ['objects is a broken link', 'objects', putLink, /objects.images: expected a folder \(ENOENT\)/],
    ['the bucket is a file', 'objects/images', putFile, /objects.images: expected a folder \(ENOTDIR\)/],
  ] as const)) {
    it(`names the path and leaves it unchanged if ${title}`, {
      skip: put === putPipe && spawnSync('mkfifo', ['--version']).error !== undefined && 'no mkfifo there',
    }, async () => {
      const dataDir = testFolder()
      const path = join(dataDir, name)
      mkdirSync(dirname(path), { recursive: true })
      put(path)
      const before = lookOf(path)
      const line = await apiRefusal({ dataDir })
      assert.match(line, expected)
      assert.ok(line.includes(path), line)
      assert.deepEqual(lookOf(path), before)
    })
  }
})

it('A start that failed leaves nothing that would still log half a minute later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const dataDir = testFolder()
  putFile(join(dataDir, 'objects'))
  await apiRefusalHere({ dataDir })
  t.mock.timers.tick(60_000)
  await turns()
})

describe('Temporary files of the secret', () => {
  it('that a killed start left are deleted by the next; a numbered backup of the operator is kept', () => {
    const dataDir = testFolder()
    writeFileSync(join(dataDir, 'jwt-secret.4711.draft'), 'x')
    writeFileSync(join(dataDir, 'jwt-secret.1'), 'a backup')
    readOrMakeSecret(dataDir)
    const names = readdirSync(dataDir).filter((name) => name.startsWith('jwt-secret'))
    assert.deepEqual(names.sort(), ['jwt-secret', 'jwt-secret.1'])
    assert.equal(readFileSync(join(dataDir, 'jwt-secret.1'), 'utf8'), 'a backup')
  })
})

function putFile(path: string): void {
  writeFileSync(path, 'precious')
}

function putFolder(path: string): void {
  mkdirSync(path)
  writeFileSync(join(path, 'precious'), '')
}

function putLink(path: string): void {
  symlinkSync(join(dirname(path), 'nowhere'), path)
}

function putPipe(path: string): void {
  assert.equal(spawnSync('mkfifo', ['-m', '600', path]).status, 0)
}

/** Its identity, mode and time, and what it contains or points to. */
function lookOf(path: string): unknown[] {
  const stat = lstatSync(path)
  const content = stat.isFile() ? readFileSync(path, 'utf8') : stat.isDirectory() ? readdirSync(path) : null
  return [stat.ino, stat.mode, stat.mtimeMs, content, stat.isSymbolicLink() && readlinkSync(path)]
}
