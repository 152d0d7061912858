import { type Command, Option } from 'commander'
import { isoTime } from '../lib/timestamps.ts'
import type { Cli } from './cli-context.ts'
import { readTime } from './local-time.ts'
import type { AnnounceOptions, IncidentOptions, MaintenanceOptions, RetireOptions } from './status-worker.ts'

const time = (flags: string, help: string) =>
  new Option(flags, `${help}; a date or time, by default in the zone of this machine`).argParser((text) =>
    isoTime(readTime(text)),
  )

export function statusCommands(program: Command, cli: Cli): void {
  const status = program.command('status').description('ask the status worker, and test its targets')
  const acts = () => import('./status-worker.ts')
  status
    .command('components')
    .description('List the components, with what each target accepted.')
    .action(async () => (await acts()).listComponents(cli))
  status
    .command('incidents')
    .description('List incidents, newest first.')
    .option('--component <id>', 'only of this component')
    .option('--open', 'only open ones', false)
    .action(async (options: IncidentOptions) => (await acts()).listIncidents(cli, options))
  status
    .command('retire')
    .description('Delete a component and its history.')
    .argument('<component>')
    .addOption(
      new Option('--publish <status>', 'what its status pages are told')
        .choices(['operational', 'maintenance', 'nothing'])
        .default('maintenance'),
    )
    .option('--yes', 'do not ask for confirmation', false)
    .action(async (id: string, options: RetireOptions) => (await acts()).retireComponent(cli, id, options))
  status
    .command('maintenance')
    .description('Announce maintenance of components, or list it.')
    .argument('[component...]')
    .addOption(time('--from <time>', 'by default now'))
    .addOption(time('--until <time>', 'at most 31 days later'))
    .option('--text <text>', 'shown with it')
    .option('--end <id>', 'end or cancel it')
    .action(async (ids: string[], options: MaintenanceOptions) => (await acts()).maintenance(cli, ids, options))
  status
    .command('announce')
    .description('Announce something on the status page of the API, or list the announcements.')
    .argument('[text]', 'at most 500 characters')
    .addOption(time('--from <time>', 'by default now'))
    .addOption(time('--until <time>', 'by default it has no end'))
    .option('--end <id>', 'end or cancel it')
    .action(async (text: string | undefined, options: AnnounceOptions) => (await acts()).announce(cli, text, options))
  status
    .command('test')
    .description('Send a harmless request to a target, and show the response.')
    .argument('<target>')
    .addHelpText(
      'after',
      '\nA status page is asked for its components; an alert channel or webhook gets a test message.',
    )
    .action(async (target: string) => (await acts()).testTarget(cli, target))
  status.addHelpText(
    'after',
    '\nThe worker is asked at STATUS_WORKER_URL, by default at STATUS_HOST and STATUS_PORT, and must allow this address (STATUS_ALLOW).',
  )
}
