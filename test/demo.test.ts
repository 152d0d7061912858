import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { isFullSize } from './support/size.ts'
import { spawn } from './support/spawn.ts'
import { testFolder } from './support/test-folder.ts'
import { until } from './support/until.ts'

const program = join(import.meta.dirname, '../demo/run.ts')
const elsewhere = {
  HOST: '0.0.0.0',
  STATUS_HOST: '0.0.0.0',
  PORT: '1',
  BASE_URL: 'https://elsewhere.test',
  DATABASE_URL: 'postgres://elsewhere.test/menagerie',
  REDIS_URL: 'redis://elsewhere.test',
  S3_ENDPOINT: 'http://elsewhere.test',
  DATA_DIR: '/nonexistent',
  STATUS_PAGE: 'off',
}

/** Null if the descriptor was closed since it was listed. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** The local addresses, in hexadecimal, on which a process listens. */
function listeningAddresses(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && links.includes(`socket:[${inode}]`))
      .map(([, local = '']) => local.slice(0, local.indexOf(':'))),
  )
}

const skip = isFullSize ? false : 'in npm run test:all'

it('npm run demo shows a world with history on the loopback interface alone, and Ctrl-C leaves nothing of it', {
  skip,
}, async (t) => {
  const [cwd, folder] = [testFolder(), testFolder()]
  writeFileSync(
    join(cwd, '.env'),
    Object.entries(elsewhere)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const child = spawn(process.execPath, [program, '--seed', '7'], {
    cwd,
    env: { ...process.env, ...elsewhere, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  t.after(() => child.kill('SIGINT'))
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk
    })
  await until(() => {
    assert.equal(child.exitCode, null, out)
    return /Ctrl-C/.test(out)
  }, 'the demo')
  const [, url, workerUrl, username, password] =
    /Console +(\S+)\/console\n.*\nStatus worker +(\S+)\n.*\nSign in as +(\S+) \(owner\).*\nPassword +(.+?)\nSeed +7\n/s.exec(
      out,
    ) ?? []
  if (process.platform === 'linux')
    assert.deepEqual(new Set(listeningAddresses(child.pid as number)), new Set(['0100007F']))

  const reference = await (await fetch(`${url}/docs.md`)).text()
  assert.deepEqual(new Set(reference.match(/http:\/\/[^/\s]+(?=\/heartbeat)/g)), new Set([workerUrl]))

  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ username, password })
  const login = await (await fetch(`${url}/auth/login`, { method: 'POST', headers, body })).json()
  const { accessToken: Authorization } = login as { accessToken: string }
  const ask = async (path: string) => (await fetch(url + path, { headers: { Authorization } })).json()
  const { summary } = (await ask('/admin/users/dashboard?limit=1')) as { summary: Record<string, number> }
  assert.equal(summary.totalUsers, 200)
  assert.ok(Number(summary.bannedUsers) > 0 && Number(summary.totalRequests) > 100_000, JSON.stringify(summary))
  const status = (await ask('/status.json')) as Record<string, { resolvedAt?: string | null; days?: unknown[] }[]>
  const open = status.incidents?.filter(({ resolvedAt }) => resolvedAt === null)
  assert.deepEqual(
    [
      open?.length,
      Number(status.incidents?.length) > 2,
      status.components?.length,
      status.components?.[0]?.days?.length,
    ],
    [1, true, 7, 90],
  )
  assert.deepEqual([status.maintenance?.length, status.announcements?.length], [1, 1])
  const { reports } = (await ask('/admin/reports')) as { reports: unknown[] }
  assert.equal(reports.length, 4)

  child.kill('SIGINT')
  assert.deepEqual([await ended, readdirSync(folder)], [[0, null], []])
})
