import { randomUUID } from 'node:crypto'
import { BadSetting } from '../../config/settings.ts'
import type { StateMeta } from '../../status/state-store.ts'
import { newerSchema } from '../migrations.ts'
import { type Link, Pooled } from './postgres-link.ts'
import { metaFrom, metaText } from './rows.ts'
import { migrations, postgresDialect, schemaProbes } from './schema.ts'

/** The setting that names the database. */
export type UrlSetting = 'DATABASE_URL' | 'STATUS_DATABASE_URL'

/**
 * Migrates the tables and takes them over, or throws BadSetting. Call it with the lock held. `holder` is the fencing
 * token: every write compares it, and the next worker that takes over replaces it.
 */
export async function prepareTables(link: Link, setting: UrlSetting): Promise<StateMeta & { holder: string }> {
  const unusable = unusableBy(setting)
  const [found] = await link.query<{ known: boolean }>({
    text: "SELECT to_regclass('status_meta') IS NOT NULL AS known",
  })
  const version = found?.known ? Number((await rowsOfMeta(link)).find(({ name }) => name === 'version')?.value) : 0
  if (Number.isNaN(version)) throw new BadSetting(unusable('status_meta has no version'))
  if (version > migrations.length)
    throw new BadSetting(`${setting}: the state of the status worker ${newerSchema(version, migrations.length)}`)
  if (version < migrations.length) await migrate(link, version)
  for (const text of schemaProbes) await link.query({ text })
  const meta = metaFrom(await rowsOfMeta(link))
  if (meta === null) throw new BadSetting(unusable('status_meta is not whole'))
  const holder = randomUUID()
  await link.query({ text: takeText }, [holder])
  return { ...meta, holder }
}

const takeText = `INSERT INTO status_meta VALUES ('holder', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

const rowsOfMeta = (link: Link) => link.query<{ name: string; value: string }>({ text: metaText })

const mostMigrationMs = 3_600_000

/** Statements without values that are sent together are one transaction. */
async function migrate(link: Link, version: number): Promise<void> {
  const first = `INSERT INTO status_meta VALUES ('source', '${randomUUID()}'), ('version', '')`
  const steps = [
    ...migrations.slice(version).flatMap((migration) => migration(postgresDialect)),
    ...(version === 0 ? [first] : []),
    `UPDATE status_meta SET value = '${migrations.length}' WHERE name = 'version'`,
  ]
  // Of a long history this takes a while; the lock is ours all the time.
  await link.query({ text: `SET LOCAL statement_timeout = 0;\n${steps.join(';\n')}`, patienceMs: mostMigrationMs })
}

/** A login, a database or a right that is refused, or tables that are not as they should be: waiting helps nobody. */
export function refusalOf(error: unknown, setting: UrlSetting): BadSetting | null {
  if (error instanceof BadSetting) return error
  if (error instanceof Pooled) return new BadSetting(`${setting}: ${pooled}`)
  const { code, message, severity } = error as { code?: unknown; message?: string; severity?: unknown }
  if (typeof severity !== 'string') return null
  if (/^(28|3D|42501)/.test(String(code))) return new BadSetting(`${setting}: ${message}`)
  return /^42/.test(String(code)) ? new BadSetting(unusableBy(setting)(message ?? '')) : null
}

const pooled =
  'this is a connection pooler (PgBouncer), and the status worker needs a direct connection; set STATUS_DATABASE_URL to the PostgreSQL server itself'

const unusableBy = (setting: UrlSetting) => (why: string) =>
  `${setting}: the tables of the status worker cannot be used: ${why}`
