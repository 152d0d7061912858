import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Script } from 'node:vm'
import { testFolder } from '../support/test-folder.ts'
import { allUp, isAlive, knownTo, Running, until } from './processes.ts'

const root = join(import.meta.dirname, '../..')
const countOf = (text: string, part: string) => text.split(part).length - 1

const settings = `MAINTAINER="zoe # of the zoo"
STATUS_MAX_COMPONENTS=7
PROT=hunter2
`

describe('npm start with .env in the working directory', () => {
  it('reads it for both programs, says so once, warns of PROT, and shows URLs, DATA_DIR and how to create an owner; the API reports its parts to the worker; if it is killed, it leaves no child behind', async () => {
    const dataDir = testFolder()
    const file = join(dataDir, '.env')
    writeFileSync(file, settings)
    const running = await Running.listening('start', { dataDir })
    await running.said(/there is no owner yet/)
    const { out, err, url, workerUrl } = running
    assert.equal(countOf(out, `"read settings from ${file}"`), 1, out)
    assert.equal(countOf(out, 'PROT is not a setting; did you mean PORT?'), 1, out)
    assert.doesNotMatch(out + err, /hunter2/)
    const lineOf = (part: string) => JSON.parse(out.split('\n').find((line) => line.includes(part)) ?? '{}')
    const api = lineOf('api is listening')
    const baseUrl = `http://localhost:${running.port}`
    assert.deepEqual([api.url, api.reference, api.data], [baseUrl, `${baseUrl}/docs`, dataDir])
    assert.equal(lineOf('status worker is listening').url, workerUrl)
    assert.match(out, /there is no owner yet; create one: npm run cli -- owner create <username>/)

    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ username: '!', password: 'long enough' })
    const refused = await fetch(`${url}/auth/register`, { method: 'POST', headers, body })
    assert.match(await refused.text(), /report this to zoe # of the zoo\./)
    const diag = (await (await fetch(`${workerUrl}/diag`)).json()) as { config: { maxComponents: number } }
    assert.equal(diag.config.maxComponents, 7)

    await until(async () => isDeepStrictEqual(await knownTo(workerUrl), allUp), 'three operational parts')
    const pids = running.children()
    running.child.kill('SIGKILL')
    await until(() => !pids.some(isAlive), 'the end of both children')
    await assert.rejects(fetch(`${url}/health`))
  })
})

describe('An API alone', () => {
  it('says when it listens that it knows no status worker', async () => {
    const { out } = await Running.listening('api', { dataDir: testFolder() })
    assert.match(out, /"statusWorker":"none: STATUS_WORKER_URL is not set"/)
  })

  it('logs a code for the first owner, and in a container that a published port does not offer the form', async () => {
    for (const [env, where] of [
      [{}, /minutes in a browser on this machine: http:/],
      [{ MENAGERIE_IMAGE: 'oci' }, /minutes over loopback, not through a published port: http:/],
    ] as const) {
      const running = await Running.listening('api', { dataDir: testFolder(), env })
      await running.said(/there is no owner yet; create one: npm run cli -- owner create <username>/)
      assert.match(running.out, where)
      const page = await (await fetch(`${running.url}/console`)).text()
      assert.ok(page.includes('content="first owner"'))
    }
  })
})

describe('The CLI', () => {
  const cli = (cwd: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'src/bin/cli.ts'), ...args], { cwd, env: {}, encoding: 'utf8' })

  it('reads .env too, and prints nothing about it for machine-readable output', () => {
    const folder = testFolder()
    writeFileSync(join(folder, '.env'), settings)
    const { stdout, stderr } = cli(folder, 'config', 'check', '--json')
    const shown = JSON.parse(stdout)
    const { value } = shown.settings.find(({ name }: { name: string }) => name === 'MAINTAINER')
    assert.deepEqual([value, stderr], ['zoe # of the zoo', ''])
    assert.deepEqual(shown.unknown, [
      { name: 'PROT', nearest: 'PORT', message: 'PROT is not a setting; did you mean PORT?' },
    ])
    writeFileSync(join(folder, '.env'), 'PORT 4000')
    const broken = cli(folder, 'config', 'check', '--json')
    assert.equal(broken.status, 1)
    assert.match(JSON.parse(broken.stderr).error, /\.env, line 1: expected NAME=value/)
  })
})

describe('A Node that is too old', () => {
  const programs = globSync('src/bin/*.js', { cwd: root }).map((path) => path.replaceAll('\\', '/'))

  it('can read every program as CommonJS', () => {
    assert.equal(programs.length, 5)
    assert.equal(JSON.parse(readFileSync(join(root, 'src/bin/package.json'), 'utf8')).type, 'commonjs')
    for (const path of programs) assert.ok(new Script(readFileSync(join(root, path), 'utf8')), path)
  })

  it('can read them under their names in .ts, which service managers run', () => {
    for (const path of programs)
      assert.equal(realpathSync(join(root, path.replace(/js$/, 'ts'))), realpathSync(join(root, path)))
  })

  it('is refused in one line, with the command that uses the pinned one', () => {
    const old = join(testFolder(), 'old.cjs')
    writeFileSync(old, `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`)
    const { status, stderr, stdout } = spawnSync(process.execPath, ['--require', old, 'src/bin/api.ts'], {
      cwd: root,
      env: {},
      encoding: 'utf8',
    })
    const told = 'Node 20.20.2 is too old, expected 24 or newer; run: node_modules/.bin/node src/bin/api.ts\n'
    assert.deepEqual([status, stdout, stderr], [1, '', told])
  })
})

it('A start with a filled compile cache loads no transpiler, which saves 13 MB and 40 ms', () => {
  const script = join(testFolder(), 'transpilers.cjs')
  writeFileSync(
    script,
    "process.on('exit', () => console.error(process.moduleLoadList.filter((name) => /amaro/.test(name))))",
  )
  const run = () =>
    spawnSync(process.execPath, ['--require', script, 'src/bin/cli.ts', '--version'], {
      cwd: root,
      env: {},
      encoding: 'utf8',
    })
  run()
  const { status, stderr } = run()
  assert.deepEqual([status, stderr], [0, '[]\n'])
})
