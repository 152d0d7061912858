import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../../src/config/config.ts'
import { referenceModel } from '../../src/reference/reference.ts'
import { languages, type Sample } from '../../src/reference/samples/samples.ts'
import { openWorker } from '../status/worker-stage.ts'
import { password, startService } from '../support/service.ts'
import { isFullSize } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
const run = promisify(execFile)

const runners = {
  curl: (code: string) => ['bash', '-c', code.replace('curl', 'curl -sS --fail-with-body')],
  JavaScript: (code: string) => [process.execPath, '--input-type=module', '--eval', code],
  Python: (code: string) => ['python3', '-c', code],
} as const

function isMissing(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return true
  }
}

const samples = new Map<string, readonly Sample[]>()
let owner: string

before(async () => {
  const service = await startService({ env: { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password } })
  const worker = await openWorker()
  const model = referenceModel(
    readConfig({ BASE_URL: service.url, STATUS_HOST: '127.0.0.1', STATUS_PORT: String(worker.port) }),
  )
  for (const { route, samples: own } of model.groups.flatMap(({ routes }) => routes))
    if (route.samples?.some(({ isOnlyCurl }) => !isOnlyCurl)) samples.set(`${route.method} ${route.path}`, own)
  owner = (await service.login('keeper')).body.accessToken
})

test('the calls of a typical client have samples in three languages', () => {
  assert.deepEqual([...samples.keys()].sort(), [
    'GET /images/:kind/random',
    'POST /admin/s3/upload',
    'POST /auth/login',
    'POST /auth/register',
    'POST /heartbeat/:componentId',
  ])
  for (const { codes } of [...samples.values()].flat())
    assert.deepEqual(
      codes.map(({ language }) => languages[language]),
      Object.keys(runners),
    )
})

test('every call has an example in three languages, each of which parses', { skip: isMissing('python3') }, async () => {
  const calls = referenceModel(readConfig({})).groups.flatMap(({ routes }) =>
    routes.filter(({ route }) => !route.samples).map(({ samples: [sample] }) => sample?.codes ?? []),
  )
  const ofLanguage = (wanted: keyof typeof languages) =>
    calls.map((codes) => codes.find(({ language }) => language === wanted)?.code ?? assert.fail(wanted))
  for (const code of ofLanguage('js')) {
    // As a module, whose imports resolve before its first line stops it.
    const stopped = encodeURIComponent(`throw 'stopped'\n${code}`)
    await assert.rejects(import(`data:text/javascript,${stopped}`), (error) => error === 'stopped')
  }
  const program = 'import json, sys\nfor code in json.load(sys.stdin): compile(code, "sample", "exec")'
  execFileSync('python3', ['-c', program], { input: JSON.stringify(ofLanguage('python')) })
})

for (const [language, commandOf] of Object.entries(runners)) {
  const missing = isMissing(language === 'Python' ? 'python3' : 'curl') && `${language} is not installed`
  test(`the samples in ${language} do what they say`, { skip: process.env.CI ? false : missing }, async () => {
    const cwd = testFolder()
    writeFileSync(join(cwd, 'image.png'), png)
    const call = async (route: string, token = '', at = 0): Promise<string> => {
      const code =
        samples.get(route)?.[at]?.codes.find((each) => languages[each.language] === language)?.code ??
        assert.fail(route)
      const [command = '', ...rest] = commandOf(code.replaceAll('alice', `alice-${language}`))
      const { stdout } = await run(command, rest, { cwd, env: { ...process.env, ACCESS_TOKEN: token, NO_COLOR: '1' } })
      return stdout
    }
    assert.match(await call('POST /admin/s3/upload', owner), /fox\/a\.png/)
    let token = owner
    // Each call starts a process.
    if (isFullSize || language === 'curl') {
      assert.match(await call('POST /auth/register'), new RegExp(`alice-${language}`))
      token = /Bearer [\w.-]+/.exec(await call('POST /auth/login'))?.[0] ?? ''
      assert.match(await call('GET /images/:kind/random', token), /fox\/a\.png/)
    }
    await call('GET /images/:kind/random', token, 1)
    assert.deepEqual(readFileSync(join(cwd, 'image')), png)
    assert.match(await call('POST /heartbeat/:componentId'), /operational/)
  })
}
