import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../config/config.ts'
import { embeddedDatabases } from '../drivers/embedded-databases.ts'
import { type Compacted, compactFile } from '../drivers/sqlite/compact.ts'
import { inBytes } from './amounts.ts'
import { checkUnused } from './check-unused.ts'
import type { Cli } from './cli-context.ts'
import { Failed } from './failure.ts'

/** Deleted rows leave free pages, which only later rows would use: this gives them back to the disk. */
export async function compact(cli: Cli): Promise<void> {
  const { DATA_DIR, DATABASE_URL, STATUS_DATABASE_URL } = readConfig(cli.env)
  const places = [DATABASE_URL, STATUS_DATABASE_URL ?? DATABASE_URL]
  const urls = new Set(places.filter((url) => url !== null))
  const compacted = places.includes(null) ? compactFolder(DATA_DIR) : []
  for (const url of urls) {
    const { compactServer } = await import('../drivers/postgres/compact.ts')
    const { whereOf } = await import('../drivers/accounts/postgres-status.ts')
    compacted.push({ database: whereOf(url), ...(await compactServer(url)) })
  }
  if (compacted.length === 0) throw new Failed(`${DATA_DIR} has no database; check DATA_DIR.`)
  const lines = compacted.map(
    ({ database, bytesBefore, bytesAfter }) =>
      `${database}: ${inBytes(bytesBefore)} before, ${inBytes(bytesAfter)} now`,
  )
  await cli.out.print({ databases: compacted }, lines.join('\n'))
}

function compactFolder(dataDir: string): Compacted[] {
  if (!existsSync(dataDir)) return []
  const folder = realpathSync(dataDir)
  checkUnused(folder)
  return [...embeddedDatabases.keys()]
    .filter((name) => existsSync(join(folder, name)))
    .map((name) => compactFile(join(folder, name)))
}
