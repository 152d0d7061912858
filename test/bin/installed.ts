import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { testFolder } from '../support/test-folder.ts'
import { Running, until } from './processes.ts'

/* Run by .ci/run: TEST_MENAGERIE is the command of an installed package, which runs on the first Node of PATH. */

const menagerie = process.env.TEST_MENAGERIE ?? ''
const json = { 'Content-Type': 'application/json' }
const alice = JSON.stringify({ username: 'alice', password: 'correct horse battery' })

describe('The installed command', () => {
  it('prints its version and its commands, and refuses others', async () => {
    const run = promisify(execFile)
    assert.match((await run(menagerie, ['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
    assert.match((await run(menagerie, ['--help'])).stdout, /start .*api .*worker .*cli /s)
    await assert.rejects(run(menagerie, ['strat']), { code: 2, stderr: /but got strat; see menagerie --help\n$/ })
    await assert.rejects(run(menagerie, ['api', '--port']), { code: 2, stderr: /takes no arguments, but got --port/ })
  })

  it('serves, is administered and backed up, survives kill -9, and stops with exit code 0', {
    timeout: 60_000,
  }, async () => {
    const dataDir = testFolder()
    const options = { dataDir, command: [menagerie, 'start'], env: { SAMPLE_IMAGES: 'true' } } as const
    const cli = (...args: string[]) =>
      promisify(execFile)(menagerie, ['cli', ...args], {
        cwd: dataDir,
        env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      })

    const first = await Running.listening('start', options)
    const registered = await fetch(`${first.url}/auth/register`, { method: 'POST', headers: json, body: alice })
    const { accessToken } = (await registered.json()) as { accessToken: string }
    const random = () => fetch(`${first.url}/images/fox/random?as=bytes`, { headers: { Authorization: accessToken } })
    await until(async () => (await random()).status === 200, 'a sample image')
    assert.deepEqual(
      Buffer.from(await (await random()).arrayBuffer())
        .subarray(1, 4)
        .toString(),
      'PNG',
    )
    for (const path of ['/docs', '/docs.md', '/openapi.json', '/console'])
      assert.equal((await fetch(first.url + path)).status, 200)
    const heartbeat = await fetch(`${first.workerUrl}/heartbeat/backup`, {
      method: 'POST',
      headers: json,
      body: '{"status":"operational"}',
    })
    assert.equal(heartbeat.status, 200)
    assert.match((await cli('user', 'list', '--json')).stdout, /"alice"/)
    const archive = join(testFolder(), 'menagerie.tar')
    await cli('backup', archive)
    assert.ok(existsSync(archive))

    for (const pid of first.children()) process.kill(pid, 'SIGKILL')
    assert.equal((await first.ended).code, 1)
    assert.match(first.err, /^[^\n]*"menagerie: (api|status-worker) was ended by SIGKILL, so the service stops"}\n$/)
    const second = await Running.listening('start', options)
    const login = await fetch(`${second.url}/auth/login`, { method: 'POST', headers: json, body: alice })
    assert.equal(login.status, 200)
    second.child.kill('SIGTERM')
    await second.closed
    assert.deepEqual([(await second.ended).code, second.err], [0, ''])
  })
})
