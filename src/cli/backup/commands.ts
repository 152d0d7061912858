import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Cli } from '../cli-context.ts'
import type { Screen } from '../progress.ts'

export interface BackupWorld {
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly screen: Screen
}

export function backupCommands(program: Command, cli: Cli, world: BackupWorld): void {
  program
    .command('backup')
    .description('Back up DATA_DIR to one tar archive; the service may keep running.')
    .argument('<file>', 'archive to write, or - for standard output')
    .addHelpText('after', backupHelp)
    .action(async (file: string) => (await import('./back-up.ts')).backUp(cli, world, file))
  program
    .command('restore')
    .description('Verify a backup and restore it as DATA_DIR.')
    .argument('<file>', 'archive to read, or - for standard input')
    .addHelpText('after', restoreHelp)
    .action(async (file: string) => (await import('./restore.ts')).restore(cli, world, file))
}

const backupHelp = `
The archive contains the accounts (menagerie.db), the status worker's state (status.db), jwt-secret, and the images with
their types and checksums. Each database and each image is a snapshot. The last file, SHA256SUMS, has the checksums of all
others. Not included: catalogue.db, which is a cache, settings, and data in DATABASE_URL, S3_ENDPOINT and JWT_SECRET. The
archive has mode 0600, since anyone who can read it can sign tokens. An existing file is never overwritten.`

const restoreHelp = `
DATA_DIR must be missing or empty, and not in use: stop the service and move the old folder away first. A damaged or
incomplete archive leaves nothing behind. Run this command as the user that runs the service. Data in DATABASE_URL,
S3_ENDPOINT and JWT_SECRET is not touched.`
