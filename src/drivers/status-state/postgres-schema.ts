import { randomUUID } from 'node:crypto'
import { BadSetting } from '../../config/parser.ts'
import type { Logger } from '../../process/logger.ts'
import type { StateMeta } from '../../status/state-store.ts'
import { logMigration } from '../migrations.ts'
import { migrate, type PostgresSchema } from '../postgres/migrate.ts'
import { type Link, Pooled } from './postgres-link.ts'
import { metaFrom, metaText } from './rows.ts'
import { migrations, postgresDialect, readers, schemaProbes } from './schema.ts'

/** The setting that the URL comes from. */
export type UrlSetting = 'DATABASE_URL' | 'STATUS_DATABASE_URL'

/**
 * Migrates the tables and takes them over, or throws BadSetting. Requires the lock. `holder` is the fencing token:
 * every write compares it, and the next leader replaces it.
 */
export async function prepareTables(
  link: Link,
  setting: UrlSetting,
  log: Pick<Logger, 'info'>,
): Promise<StateMeta & { holder: string }> {
  const startedAt = performance.now()
  const from = await migrate((text) => link.query({ text, timeoutMs: maxMigrationMs }), schemaOf(setting))
  logMigration(log, { database: setting, from, to: migrations.length, startedAt })
  for (const text of schemaProbes) await link.query({ text })
  const meta = metaFrom(await link.query<MetaRow>({ text: metaText }))
  if (meta === null) throw new BadSetting(unusableBy(setting)('status_meta is incomplete'))
  const holder = randomUUID()
  await link.query({ text: takeText }, [holder])
  return { ...meta, holder }
}

export const schemaOf = (setting: UrlSetting): PostgresSchema => ({
  migrations: migrations.map((migration) => migration(postgresDialect)),
  readers,
  async readVersion(query) {
    const [found] = await query("SELECT to_regclass('status_meta') IS NOT NULL AS known")
    if (!found?.known) return 0
    const version = Number((await query(metaText)).find(({ name }) => name === 'version')?.value)
    if (Number.isNaN(version)) throw new BadSetting(unusableBy(setting)('status_meta has no version'))
    return version
  },
  saveVersion: (version, before) => [
    ...(before === 0
      ? [`INSERT INTO status_meta (name, value) VALUES ('source', '${randomUUID()}'), ('version', '')`]
      : []),
    `UPDATE status_meta SET value = '${version}' WHERE name = 'version'`,
  ],
  refusal: (why) => new BadSetting(`${setting}: the state of the status worker ${why}`),
})

const takeText = `INSERT INTO status_meta (name, value) VALUES ('holder', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

type MetaRow = { readonly name: string; readonly value: string }

const maxMigrationMs = 3_600_000

/** The configuration error behind a failure that retrying cannot cure; null if it may. */
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
