import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import type { DatabaseStatus } from '../drivers/accounts/database-status.ts'
import { migrations } from '../drivers/accounts/migrations.ts'
import { openDatabase, readDatabaseStatus } from '../drivers/accounts/open-database.ts'
import { prepareDataDir } from '../drivers/data-dir.ts'
import { describeState, isUsable } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed } from './failure.ts'
import { table } from './output.ts'

export function dbCommands(program: Command, cli: Cli): void {
  const db = program.command('db').description('inspect, migrate and compact the databases')
  db.command('migrate')
    .description('Create the database or migrate its schema, as every start of the service does.')
    .option('--yes', 'accepted for scripts; there is no confirmation')
    .action(() => migrate(cli))
  db.command('compact')
    .description('Give the space of deleted rows back to the disk, such as after lowering AUDIT_KEEP_DAYS.')
    .addHelpText('after', compactHelp)
    .action(async () => (await import('./compact.ts')).compact(cli))
  db.command('status')
    .description('Show the database, its schema version, the number of accounts, and the result of an integrity check.')
    .addHelpText('after', '\nRead-only. Exit code 1 if the service could not start with this database.')
    .action(() => showStatus(cli))
}

const compactHelp = `
With the databases in DATA_DIR, the service must be stopped, and the disk needs as much free space as they take. On
PostgreSQL (VACUUM FULL) it may run, but requests wait for the table that is being rewritten, and get 503 after 5 s.`

async function migrate(cli: Cli): Promise<void> {
  const config = readConfig(cli.env)
  const before = await readDatabaseStatus(config, { deep: false, now: cli.clock.now() })
  if (!isUsable(before)) throw new Failed(`${before.where} is ${describeState(before)}.`)
  if (config.DATABASE_URL === null) prepareDataDir(config.DATA_DIR)
  const database = await openDatabase(config)
  await database.close()
  const from = before.schemaVersion ?? 0
  const to = database.schemaVersion
  const changed = from !== to
  const did = changed
    ? `migrated from schema version ${from} to ${to}.`
    : `already at schema version ${to}; nothing was changed.`
  const { name, where } = before
  await cli.out.print({ database: name, where, changed, from, to }, `${name}, ${where}: ${did}`)
}

async function showStatus(cli: Cli): Promise<void> {
  const found = await readDatabaseStatus(readConfig(cli.env), { deep: true, now: cli.clock.now() })
  const { name, where, state, schemaVersion, counts, integrity } = found
  await cli.out.print(
    {
      database: name,
      where,
      state,
      schemaVersion: { program: migrations.length, database: schemaVersion },
      users: counts?.users ?? null,
      owners: counts?.owners ?? null,
      banned: counts?.banned ?? null,
      integrity,
    },
    linesOf(found),
  )
  if (!isUsable(found)) throw new Failed(`${where} is ${describeState(found)}.`)
}

function linesOf(status: DatabaseStatus): string {
  const { name, where, schemaVersion, counts, integrity } = status
  return table([
    ['database', `${name}, ${where}`],
    ['state', describeState(status)],
    ['schema version', `${schemaVersion ?? 'none'} (this program: ${migrations.length})`],
    ...(counts
      ? [
          ['users', `${counts.users}, ${counts.banned} of them banned`],
          ['owners', String(counts.owners)],
        ]
      : []),
    ...(integrity === null ? [] : [['integrity', integrity]]),
  ])
}
