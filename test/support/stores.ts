import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/drivers/accounts/database.ts'
import { openPostgres } from '../../src/drivers/accounts/postgres.ts'
import type { PoolTimes } from '../../src/drivers/accounts/postgres-pool.ts'
import { fileName, openSqlite } from '../../src/drivers/accounts/sqlite.ts'
import { atEnd } from './at-end.ts'
import { temporaryFolder } from './folder.ts'
import { isFullSize } from './size.ts'

/** An account store that a suite runs on. Every `make` is empty, and removed at the end of the test. */
export interface Store {
  readonly name: string
  /** For `describe(title, { skip })`: why it cannot run here. */
  readonly skip: string | false
  /** On SQLite, it has the newest schema unless it is `bare`. */
  make(how?: {
    bare: boolean
  }): Promise<{ env: Record<string, string>; open(): Promise<Database>; drop(): Promise<void> }>
}

/** A PostgreSQL that responds is in time, however busy the machine is. */
export const patientPool: PoolTimes = { connectMs: 30_000, queryMs: 30_000, statementMs: 29_000, prepareMs: 10_000 }

const openedBy = async (opening: Promise<Database>): Promise<Database> => {
  const database = await opening
  return { ...database, close: atEnd(() => database.close()) }
}

let migrated: Promise<Buffer> | undefined

/** Copies a migrated database: migrating a new one takes 4 ms of CPU. */
async function putDatabase(dataDir: string): Promise<void> {
  migrated ??= (async () => {
    const { path, remove } = temporaryFolder()
    await (await openSqlite(path)).close()
    const bytes = readFileSync(join(path, fileName))
    remove()
    return bytes
  })()
  writeFileSync(join(dataDir, fileName), await migrated, { mode: 0o600 })
}

const sqlite: Store = {
  name: 'SQLite',
  skip: false,
  async make({ bare } = { bare: isFullSize }) {
    const folder = temporaryFolder()
    const drop = atEnd(() => folder.remove())
    if (!bare) await putDatabase(folder.path)
    return { env: { DATA_DIR: folder.path }, open: () => openedBy(openSqlite(folder.path)), drop }
  },
}

const server = readConfig().TEST_DATABASE_URL

/** In CI, nothing may be skipped because a service is missing. */
if (server === null && process.env.CI)
  throw new Error('TEST_DATABASE_URL is not set, and in CI PostgreSQL may not be skipped')

const postgres: Store = {
  name: 'PostgreSQL',
  skip: server === null ? 'TEST_DATABASE_URL is not set' : false,
  async make() {
    const name = `menagerie_test_${randomBytes(6).toString('hex')}`
    await administer(`CREATE DATABASE ${name}`)
    const url = new URL(server ?? '')
    url.pathname = `/${name}`
    const folder = temporaryFolder()
    return {
      env: { DATA_DIR: folder.path, DATABASE_URL: url.href },
      open: () => openedBy(openPostgres(url.href, { times: patientPool })),
      drop: atEnd(async () => {
        await administer(`DROP DATABASE ${name} WITH (FORCE)`)
        folder.remove()
      }),
    }
  },
}

export const stores: readonly Store[] = [sqlite, postgres]

export async function queryServer(sql: string, url = server ?? ''): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export async function administer(sql: string, url?: string): Promise<void> {
  await queryServer(sql, url)
}
