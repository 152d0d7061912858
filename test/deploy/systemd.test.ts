import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { commitAll, makeRepository } from '../support/fresh-repository.ts'
import { isFullSize } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { until } from '../support/until.ts'
import { missing, read } from './tools.ts'

/* The recipes of docs/operate.md as they are printed, below folders of their own that cover the machine's. */

const skip = isFullSize ? (process.getuid?.() !== 0 && 'needs root') || missing('unshare') : 'only in npm run test:all'
/** Each unpacks all packages, which takes a minute on a busy machine of two cores. */
const limit = { timeout: 400_000 }
const covered = ['/etc', '/opt', '/var/lib', '/usr/local/bin']

/** The shell block below a heading. */
function recipe(heading: string): string {
  const [, section = ''] = read('docs/operate.md').split(`### ${heading}\n`)
  const block = /^```sh\n(.*?)^```$/ms.exec(section)?.[1]
  assert.ok(block, heading)
  return block
}

/** That of Node 20 and 22, and that of the pinned Node. */
const [older, newer] = ['10.8.2', '11.19.1']

describe('The recipes for systemd', { skip }, () => {
  const folder = temporaryFolder()
  const at = (...path: readonly string[]) => join(folder.path, ...path)
  const units = ['menagerie-api', 'menagerie-status']
  let port = 0
  let env: NodeJS.ProcessEnv
  let namespace: ReturnType<typeof spawn>
  let repository: string
  let machine: readonly string[]
  const pathWith = (npm: string) => [at('bin'), at(`${npm}/node_modules/.bin`), ...machine].join(delimiter)

  const run = (command: string, input = '') => {
    const running = promisify(execFile)(
      'nsenter',
      [`--mount=/proc/${namespace.pid}/ns/mnt`, 'bash', '--norc', '-euo', 'pipefail', '-c', command],
      { env, cwd: '/' },
    )
    running.child.stdin?.end(input)
    return running
  }
  const follow = (heading: string) =>
    run(recipe(heading).replaceAll('<this repository>', repository), 'correct horse battery\n')
  const url = (path: string) => `http://127.0.0.1:${port}${path}`
  const isOk = (address: string) =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    )
  const bothServe = async () => (await isOk(url('/ready'))) && (await isOk(`${env.STATUS_WORKER_URL}/livez`))

  before(async () => {
    port = await freePort(2)
    for (const npm of [older, newer])
      execFileSync('npm', ['install', '--prefix', at(npm), '--no-save', `npm@${npm}`], { cwd: folder.path })
    for (const path of covered) mkdirSync(at(path), { recursive: true })
    for (const path of ['/etc', '/usr/local/bin']) execFileSync('cp', ['-a', `${path}/.`, at(path)])
    mkdirSync(at('bin'))
    copyFileSync(join(import.meta.dirname, 'systemctl.sh'), at('bin/systemctl'))
    machine = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'))
    env = {
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => /^(HOME|NODE_EXTRA_CA_CERTS|\w+_proxy)$/i.test(name)),
      ),
      PATH: pathWith(older),
      UNIT_LOGS: folder.path,
      HOST: '127.0.0.1',
      STATUS_HOST: '127.0.0.1',
      PORT: String(port),
      STATUS_PORT: String(port + 1),
      STATUS_WORKER_URL: `http://127.0.0.1:${port + 1}`,
    }
    const mounts = covered.map((path) => `mount --bind ${at(path)} ${path}`).join(' && ')
    namespace = spawn('unshare', ['--mount', 'sh', '-c', `${mounts} && echo mounted && exec sleep 1000`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.match(String(await once(namespace.stdout ?? namespace, 'data')), /mounted/)
    repository = makeRepository(at('repository'))
  })
  after(async () => {
    if (namespace) {
      await run(`systemctl stop ${units.join(' ')}`)
      namespace.kill('SIGKILL')
      await once(namespace, 'exit')
    }
    folder.remove()
  })

  it(
    `install both programs, the console and the command with npm ${older}, and leave package-lock.json as it is`,
    limit,
    async () => {
      await follow('systemd')
      assert.equal((await run('npm --version')).stdout.trim(), older)
      await until(bothServe, 'both units')
      assert.match(await (await fetch(url('/console'))).text(), /<script/)
      assert.match((await run('menagerie cli user list --json')).stdout, /"keeper"/)
      assert.match((await run('menagerie cli --help')).stdout, /^Usage: menagerie cli /)
      await run('cd /opt/menagerie && npm install --package-lock-only')
      assert.equal((await run('git -C /opt/menagerie status --short')).stdout, '')
    },
  )

  it(`replace a running release by a newer one with npm ${newer}, its console included`, limit, async () => {
    env.PATH = pathWith(newer)
    assert.equal((await run('npm --version')).stdout.trim(), newer)
    const page = join(repository, 'console/index.html')
    writeFileSync(page, readFileSync(page, 'utf8').replace(/<title>.*<\/title>/, '<title>The next release</title>'))
    commitAll(repository)
    await follow('Upgrading a systemd installation')
    await until(bothServe, 'both units of the new release')
    assert.match(await (await fetch(url('/console'))).text(), /<title>The next release</)
    assert.match((await run('menagerie cli user list --json')).stdout, /"keeper"/)
  })
})
