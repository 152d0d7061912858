import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Running } from '../bin/processes.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import type { Image } from './image-tree.ts'

/* Run by .ci/run as root: TEST_IMAGE is the folder of test/deploy/image-tree.ts. */

const image: Image = JSON.parse(readFileSync(join(process.env.TEST_IMAGE ?? '', 'image.json'), 'utf8'))
const app = join(image.root, 'app')
const inTree = join(import.meta.dirname, 'in-tree.sh')
const json = { 'Content-Type': 'application/json' }
const alice = JSON.stringify({ username: 'alice', password: 'correct horse battery' })

/** As in a container: another user, a read-only root, and /data. */
const inside = (dataDir: string, command: readonly string[]) =>
  [inTree, image.root, image.user, dataDir, 'env', '-C', image.workdir, ...command] as const

function dataFolder(): string {
  const folder = testFolder()
  const [uid = 0, gid = 0] = image.user.split(':').map(Number)
  chownSync(folder, uid, gid)
  return folder
}

async function start(args: readonly string[], programs: number, dataDir = dataFolder()) {
  const command = inside(dataDir, [...image.entrypoint, ...args])
  const running = await Running.start('api', { dataDir, command, env: { ...image.env, SAMPLE_IMAGES: 'true' } })
  await running.said(/is listening/, programs)
  const env = { ...image.env, PORT: String(running.port), STATUS_PORT: String(running.statusPort) }
  const run = (...words: readonly string[]) => {
    const [file, ...rest] = inside(dataDir, words)
    return promisify(execFile)(file, rest, { env })
  }
  return { running, run, dataDir }
}

const piped = (way: '<' | '>', file: string, command: readonly string[]) =>
  promisify(execFile)('sh', ['-c', `file=$0; "$@" ${way}"$file"`, file, ...command], { env: image.env })

describe('The image', () => {
  it('has no root user, one volume, and a health check without curl', () => {
    assert.deepEqual([image.user, image.env.DATA_DIR, image.env.HOST], ['1000:1000', '/data', '0.0.0.0'])
    assert.deepEqual([image.entrypoint, image.command], [['menagerie'], ['start']])
    assert.equal(image.healthcheck[0], 'node')
    assert.equal(statSync(join(image.root, 'data')).mode & 0o777, 0o700)
  })

  it('has one Node, compiled programs and their dependencies, and nothing that builds', () => {
    const files = globSync('**/*', { cwd: app })
    const named = (pattern: RegExp) => files.filter((path) => pattern.test(path))
    assert.deepEqual(
      named(/^node_modules\/(node-|typescript|@biomejs\/|playwright|fast-check|axe-core)|\/bin\/node$/),
      [],
    )
    assert.deepEqual(named(/^(src|test|client|bench)\b|^dist\/.*(?<!\.d)\.ts$|\.env$|^data\b/), [])
    assert.equal(named(/argon2\.linux-\w+-gnu\.node$/).length, 1)
    for (const path of ['usr/local/bin/npm', 'usr/local/lib/node_modules', 'usr/local/bin/yarn'])
      assert.ok(!existsSync(join(image.root, path)), path)
    const { dependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) assert.ok(existsSync(join(app, 'node_modules', name)), name)
  })

  it('adds at most 15 MB, compressed, to the base image', () => {
    const size = Number(execFileSync('sh', ['-c', 'tar -C "$1" -c app | gzip | wc -c', 'sh', image.root]))
    assert.ok(size < 15_000_000, `${size} bytes`)
    console.log(`compressed: ${(size / 1e6).toFixed(1)} MB`)
  })

  it('serves, is administered and backed up on a read-only root, and stops with exit code 0', async () => {
    const { running, run, dataDir } = await start(image.command, 2)
    await run(...image.healthcheck)
    await run(...image.healthcheck, 'worker')
    const post = { method: 'POST', headers: json, body: alice }
    const registered = await fetch(`${running.url}/auth/register`, post)
    const { accessToken } = (await registered.json()) as { accessToken: string }
    const random = () => fetch(`${running.url}/images/fox/random?as=bytes`, { headers: { Authorization: accessToken } })
    await until(async () => (await random()).status === 200, 'a sample image')
    assert.equal((await fetch(`${running.url}/docs/decisions`)).status, 200)
    assert.match((await run('menagerie', 'cli', 'user', 'list')).stdout, /alice/)
    const archive = join(testFolder(), 'backup.tar')
    await piped('>', archive, inside(dataDir, ['menagerie', 'cli', 'backup', '-']))
    await assert.rejects(run('sh', '-c', ': >/app/file'), /Read-only file system/)
    running.child.kill('SIGTERM')
    await running.closed
    assert.deepEqual([(await running.ended).code, running.err], [0, ''])
    await assert.rejects(run(...image.healthcheck), /ECONNREFUSED/)

    const restored = dataFolder()
    await piped('<', archive, inside(restored, ['menagerie', 'cli', 'restore', '-']))
    const again = await start(image.command, 2, restored)
    assert.equal((await fetch(`${again.running.url}/auth/login`, post)).status, 200)
  })

  it('runs the API and the status worker alone, each with its health check', async () => {
    const api = await start(['api'], 1)
    await api.run(...image.healthcheck)
    await assert.rejects(api.run(...image.healthcheck, 'worker'))
    const worker = await start(['worker'], 1)
    await worker.run(...image.healthcheck, 'worker')
    await assert.rejects(worker.run(...image.healthcheck))
  })
})
