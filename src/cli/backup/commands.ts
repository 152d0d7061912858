import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Cli } from '../cli-context.ts'
import type { Screen } from '../progress.ts'

export interface BackupWorld {
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly screen: Screen
}

/** What they do is loaded when it is asked for. */
export function backupCommands(program: Command, cli: Cli, world: BackupWorld): void {
  program
    .command('backup')
    .description('Writes everything embedded in DATA_DIR to one tar archive, also while the service runs.')
    .argument('<file>', 'the archive to write; - writes to standard output')
    .addHelpText('after', backupHelp)
    .action(async (file: string) => (await import('./back-up.ts')).backUp(cli, world, file))
  program
    .command('restore')
    .description('Verifies a backup and puts it in place as DATA_DIR.')
    .argument('<file>', 'the archive to read; - reads standard input')
    .addHelpText('after', restoreHelp)
    .action(async (file: string) => (await import('./restore.ts')).restore(cli, world, file))
}

const backupHelp = `
The archive holds the accounts (menagerie.db), the status worker's state (status.db), jwt-secret, and the images with their
types and checksums. Each database and each image is a snapshot. The last file, SHA256SUMS, lists a checksum for every
other one. catalogue.db is a cache and left out. Settings are not in it, nor what DATABASE_URL, S3_ENDPOINT and JWT_SECRET
keep elsewhere. The archive has mode 0600: whoever can read it can sign tokens. An existing file is never overwritten.`

const restoreHelp = `
DATA_DIR must be missing or empty, and no process may be using it: stop the service and move the old folder away first. A
damaged, incomplete or foreign archive leaves nothing behind. Run it as the user that runs the service. What DATABASE_URL,
S3_ENDPOINT and JWT_SECRET keep elsewhere is left as it is.`
