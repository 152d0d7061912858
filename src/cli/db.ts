import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import type { DatabaseStatus } from '../drivers/accounts/database-status.ts'
import { migrations } from '../drivers/accounts/migrations.ts'
import { openDatabase } from '../drivers/accounts/open-database.ts'
import { readDatabaseStatus } from '../drivers/accounts/read-database-status.ts'
import { prepareDataDir } from '../drivers/data-dir.ts'
import type { Cli } from './cli-context.ts'
import { isUsable, stateInWords } from './database-state.ts'
import { Failed } from './failure.ts'
import { table } from './output.ts'

export function dbCommands(program: Command, cli: Cli): void {
  const db = program.command('db').description('the database of accounts')
  db.command('migrate')
    .description('Brings the schema up to date, or makes the database; every start of the service does the same.')
    .option('--yes', 'for scripts that pass it everywhere; nothing is asked')
    .action(() => migrate(cli))
  db.command('status')
    .description('Shows which database it is, its schema version, how many accounts it has, and whether it is sound.')
    .addHelpText('after', '\nIt changes and creates nothing. Exit code 1 if no start is possible with that database.')
    .action(() => showStatus(cli))
}

async function migrate(cli: Cli): Promise<void> {
  const config = readConfig(cli.env)
  const before = await readDatabaseStatus(config, { deep: false, now: cli.clock.now() })
  if (!isUsable(before)) throw new Failed(`${before.where} is ${stateInWords(before)}.`)
  if (config.DATABASE_URL === null) prepareDataDir(config.DATA_DIR)
  const database = await openDatabase(config)
  await database.close()
  const from = before.schemaVersion ?? 0
  const to = database.schemaVersion
  const changed = from !== to
  const did = changed
    ? `went from schema version ${from} to ${to}.`
    : `has schema version ${to} already; nothing was changed.`
  const { name, where } = before
  await cli.out.answer({ database: name, where, changed, from, to }, `${name}, ${where}: ${did}`)
}

async function showStatus(cli: Cli): Promise<void> {
  const found = await readDatabaseStatus(readConfig(cli.env), { deep: true, now: cli.clock.now() })
  const { name, where, state, schemaVersion, counts, integrity } = found
  await cli.out.answer(
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
  if (!isUsable(found)) throw new Failed(`${where} is ${stateInWords(found)}.`)
}

function linesOf(status: DatabaseStatus): string {
  const { name, where, schemaVersion, counts, integrity } = status
  return table([
    ['database', `${name}, ${where}`],
    ['state', stateInWords(status)],
    ['schema version', `${schemaVersion ?? 'none'}; this program's is ${migrations.length}`],
    ...(counts
      ? [
          ['users', `${counts.users}, ${counts.banned} of them banned`],
          ['owners', String(counts.owners)],
        ]
      : []),
    ...(integrity === null ? [] : [['integrity', integrity]]),
  ])
}
