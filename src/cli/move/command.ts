import type { Command } from 'commander'
import type { Cli } from '../cli-context.ts'
import type { Screen } from '../progress.ts'
import type { Route } from './move.ts'

export function moveCommand(program: Command, cli: Cli, screen: Screen): void {
  program
    .command('move')
    .description('Copy all data between a folder and the stores that the settings name, while the service is stopped.')
    .option('--from <place>', 'folder, or env; by default DATA_DIR')
    .requiredOption('--to <place>', 'env, or a folder')
    .addHelpText('after', help)
    .action(async (route: Route) => (await import('./move.ts')).move(cli, screen, route))
}

const help = `
env stands for DATABASE_URL, STATUS_DATABASE_URL and S3_ENDPOINT; data without such a setting is in DATA_DIR. For
example, "move --to env" moves from DATA_DIR to the configured stores, and "move --from env --to <folder>" creates a
folder that serves as DATA_DIR without them.
Accounts, counters, audit, keys, embed links, reports, the status worker's state, images and jwt-secret are copied, and
verified by counts and checksums. The source is not changed. The target must be empty and not in use; a service refuses
to start on it until the move has ended. To continue after an interruption, run the same command again; after
the end, that compares both sides, and says so. Run it as the user that runs the service.
Not moved: rate limit counters, settings, and buckets on S3 other than S3_BUCKET.`
