import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWorker } from '../status/worker-stage.ts'
import { atEndOfFile } from '../support/at-end.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'
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

/** Both programs over this folder, in this process, with the secret of the folder. */
export async function startBoth(dataDir: string) {
  const { api, ...acts } = await startWithOwner(dataDir)
  const silence = { HEARTBEAT_TIMEOUT_SECONDS: '1', STATUS_CHECK_INTERVAL_SECONDS: '1' }
  const worker = await openWorker({ env: { DATA_DIR: dataDir, ...silence } })
  const stop = () => Promise.all([api.close(), worker.close()])
  return { api, worker, ...acts, stop }
}

export async function startWithOwner(dataDir: string) {
  const api = await startService({
    env: { DATA_DIR: dataDir, JWT_SECRET: '', OWNER_USERNAME: owner.username, OWNER_PASSWORD: owner.password },
  })
  return {
    api,
    async upload(name: string, bytes: Uint8Array, type: string, token: string) {
      const path = `/admin/s3/upload?bucketName=images&objectName=${encodeURIComponent(name)}`
      const { status } = await api.request('POST', path, { token, headers: { 'content-type': type }, body: bytes })
      assert.equal(status, 200, name)
    },
    async remove(name: string, token: string) {
      const body = { bucketName: 'images', objectName: name }
      const { status } = await api.request('DELETE', '/admin/s3/delete', { token, body })
      assert.equal(status, 200, name)
    },
  }
}

export type Both = Awaited<ReturnType<typeof startBoth>>

/** Type, ETag and checksum of each image as visitors get it. */
export async function imagesOf({ api }: Both, names: readonly string[]) {
  const each = names.map(async (name) => {
    const response = await fetch(`${api.url}/i/${name}`)
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

/** Exit code 1, one line that says why, and nothing is left. */
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
