import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, Running } from '../bin/processes.ts'
import { atEndOfFile } from '../support/at-end.ts'
import { temporaryFolder } from '../support/folder.ts'
import { highLimits } from '../support/limits.ts'
import { testFolder } from '../support/test-folder.ts'
import { md5Of, picture } from './pictures.ts'
import { type Ran, toolHere } from './tool.ts'

export const owner = { username: 'keeper', password: 'correct horse of the keeper' }

/** A folder for archives and data directories; nothing of a run that failed may be left in it. */
export const place = () => placeAt(testFolder())

function placeAt(path: string) {
  const at = (name: string) => join(path, name)
  return {
    path,
    at,
    dataDir: at('data'),
    archive: at('backup.tar'),
    env: (name = 'data') => ({ PATH: process.env.PATH ?? '', DATA_DIR: at(name) }),
    left: () => readdirSync(path).sort(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Body = any

export async function startAll(dataDir: string, program: Program = 'start') {
  const env = { ...highLimits, OWNER_USERNAME: owner.username, OWNER_PASSWORD: owner.password }
  const silence = { HEARTBEAT_TIMEOUT_SECONDS: '1', STATUS_CHECK_INTERVAL_SECONDS: '1' }
  const all = await Running.listening(program, { dataDir, env: { ...env, ...silence } })
  const ask = async (
    url: string,
    init: RequestInit = {},
  ): Promise<{ status: number; body: Body; headers: Headers }> => {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, body: await response.json().catch(() => null) }
  }
  const json = (method: string, body: object, token = '') => ({
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
    body: JSON.stringify(body),
  })
  return {
    all,
    ask: (path: string, token = '') => ask(`${all.url}${path}`, token ? { headers: { authorization: token } } : {}),
    post: (path: string, body: object, token = '') => ask(`${all.url}${path}`, json('POST', body, token)),
    worker: (path: string) => ask(`${all.workerUrl}${path}`),
    beat: (id: string, status: string) => ask(`${all.workerUrl}/heartbeat/${id}`, json('POST', { status })),
    async upload(name: string, bytes: Uint8Array<ArrayBuffer>, type: string, token: string) {
      const path = `/admin/s3/upload?bucketName=images&objectName=${encodeURIComponent(name)}`
      const headers = { authorization: token, 'content-type': type }
      const { status } = await ask(`${all.url}${path}`, { method: 'POST', headers, body: bytes })
      assert.equal(status, 200, name)
    },
    async remove(name: string, token: string) {
      const target = { bucketName: 'images', objectName: name }
      const { status } = await ask(`${all.url}/admin/s3/delete`, json('DELETE', target, token))
      assert.equal(status, 200, name)
    },
    async stop() {
      all.child.kill('SIGTERM')
      assert.equal((await all.ended).code, 0)
    },
  }
}

export type Service = Awaited<ReturnType<typeof startAll>>

/** Type, ETag and checksum of each image as visitors get it. */
export async function imagesOf({ all }: Service, names: readonly string[]) {
  const each = names.map(async (name) => {
    const response = await fetch(`${all.url}/i/${name}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    const { headers, status } = response
    return { name, status, etag: headers.get('etag'), type: headers.get('content-type'), md5: md5Of(bytes) }
  })
  return Promise.all(each)
}

let made: Promise<string> | undefined

/** A small data directory, made by the tool itself once for each file, and its archive. */
export async function backedUp() {
  made ??= makeBackup()
  const on = place()
  execFileSync('cp', ['-a', `${await made}/.`, on.path])
  return on
}

async function makeBackup(): Promise<string> {
  const { path, remove } = temporaryFolder()
  atEndOfFile(remove)
  const on = placeAt(path)
  const env = on.env()
  const run = async (...args: string[]) => isDone(await toolHere(env, args, 'correct horse battery'))
  await run('user', 'create', 'alice')
  mkdirSync(on.at('pictures'))
  for (const name of ['a', 'b', 'c']) writeFileSync(on.at(`pictures/${name}.png`), picture('png', name.repeat(3_000)))
  await run('images', 'import', on.at('pictures'), '--kind', 'fox')
  writeFileSync(join(on.dataDir, 'jwt-secret'), 's'.repeat(43), { mode: 0o600 })
  await run('backup', on.archive)
  return path
}

export function isDone(ran: Ran): Ran {
  assert.equal(ran.code, 0, ran.stderr)
  return ran
}

/** Exit code 1, one line that says why, and nothing is there. */
export function isRefused(
  on: ReturnType<typeof place>,
  name: string,
  ran: Ran,
  reason: RegExp,
  left = on.left(),
): void {
  assert.equal(ran.code, 1, ran.stdout)
  assert.match(ran.stderr, reason)
  assert.match(ran.stderr, /^[^\n]+\n$/)
  assert.equal(existsSync(on.at(name)), false)
  assert.deepEqual(on.left(), left)
}
