import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { get, openConnection } from './connection.ts'
import { nameParts, seedCrowd } from './crowd.ts'
import { withDatabase } from './database.ts'
import type { Delays } from './event-loop-probe.ts'
import { printTable } from './figures.ts'
import { ownerSettings, signInOwner } from './people.ts'
import { startApi } from './server.ts'

/*
 * node bench/users-many.ts [--users 1000000]: every administrators' query, on PostgreSQL too with TEST_DATABASE_URL.
 * Cold: the database's files were dropped from the page cache before (SQLite only; PostgreSQL has its own cache).
 */

const { values: flags } = parseArgs({ options: { users: { type: 'string', default: '1000000' } } })
const folder = mkdtempSync(join(tmpdir(), 'menagerie-users-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { common, rare, absent, short } = nameParts
const parts = ['a', '_', 'ma', short, common, rare, absent]
const filters = [
  '',
  'role=moderator',
  'role=owner',
  'role=user&banned=false',
  'banned=true',
  'role=support&banned=true',
]
const pages = [...filters, ...parts.map((part) => `q=${part}`), `q=${common}&banned=true`, `q=a&role=owner`].flatMap(
  (filter) => ['createdAt', '-total', 'username'].map((sort) => `/admin/users?limit=50&sort=${sort}&${filter}`),
)
const others = [
  '/admin/users/dashboard?limit=50&banned=true',
  '/admin/usage',
  '/admin/audit',
  '/admin/audit?action=ban',
]

async function measure(name: string, databaseUrl: string | undefined) {
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  await seedCrowd({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? null }, Number(flags.users))
  const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...ownerSettings }
  const server = await startApi(folder, env, 'event-loop-probe.ts')
  try {
    const Authorization = await signInOwner(server.port)
    const connection = await openConnection(server.port)
    const timed = async (path: string) => {
      await server.ask('delays')
      const startedAt = performance.now()
      const { status, body } = await connection.send(get(path, { Authorization }))
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
      return [performance.now() - startedAt, ((await server.ask('delays')) as Delays).max]
    }
    const rows: number[][] = []
    for (const path of [...pages, ...others]) {
      const file = join(dataDir, 'menagerie.db')
      if (!databaseUrl) spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'])
      rows.push([...(await timed(path)), ...(await timed(path))])
    }
    connection.close()
    const shown = rows.map((row, index) => [
      [...pages, ...others][index] ?? '',
      ...row.map((ms) => `${ms.toFixed(0)} ms`),
    ])
    printTable([[`${name}, ${flags.users} users`, 'first', 'loop late', 'again', 'loop late'], ...shown])
  } finally {
    await server.stop()
  }
}

await measure('SQLite', undefined)
await withDatabase(process.env.TEST_DATABASE_URL, async (url) => url && measure('PostgreSQL', url))
