import { Argument, type Command, Option } from 'commander'
import { isoTime } from '../lib/timestamps.ts'
import { maxOccurrenceDays, maxOccurrenceSeconds, minOccurrenceSeconds } from '../status/occurrences.ts'
import { badStatuses } from '../status/periods.ts'
import { maxTimeoutSeconds, minTimeoutSeconds } from '../status/schedule.ts'
import { stages } from '../status/written-incidents.ts'
import type { Cli } from './cli-context.ts'
import { readComingTime, readTime } from './local-time.ts'
import { wholeNumber } from './numbers.ts'

const zone = 'by default in the zone of this machine'
const pastTime = (flags: string, help: string) =>
  new Option(flags, `${help}; a date or time, ${zone}`).argParser((text) => isoTime(readTime(text)))

const seconds = (flags: string, min: number, help: string, max = maxTimeoutSeconds) =>
  new Option(flags, help).argParser(wholeNumber(min, max))
const duration = () =>
  seconds(
    '--duration <seconds>',
    minOccurrenceSeconds,
    `how long it lasts each time, at most ${maxOccurrenceDays} days`,
    maxOccurrenceSeconds,
  )

const by = () => new Option('--by <name>', 'who does it').default('the command line')
const level = () => new Option('--level <level>', 'how bad it is').choices(badStatuses)

export function statusCommands(program: Command, cli: Cli): void {
  const coming = (flags: string, help: string, start = 'now') =>
    new Option(
      flags,
      `${help}; a duration from ${start} such as 2h, a time of day such as 23:00, or a date or time, ${zone}`,
    )
  const readComing = (text: string) => isoTime(readComingTime(text, cli.clock.now()))
  const from = (help: string) => coming('--from <time>', help).argParser(readComing)
  // Read again once the start is known.
  const until = (help: string) =>
    coming('--until <time>', help, 'the start').argParser((text) => {
      readComing(text)
      return text
    })
  const status = program.command('status').description('query the status worker, and test its targets')
  const acts = () => import('./status-worker.ts')
  const components = () => import('./status-components.ts')
  const writing = () => import('./written-incidents.ts')
  status
    .command('components')
    .description('List the components, with what each target accepted, and what it failed to accept after that.')
    .action(async () => (await components()).listComponents(cli))
  status
    .command('change')
    .description('Change when the heartbeats of a component are due. What is not given stays as it is.')
    .argument('<component>')
    .option('--schedule <cron>', 'a cron expression of five fields, such as "0 3 * * 1-5"')
    .option('--tz <zone>', 'the time zone of the schedule; else it keeps its own, or UTC')
    .addOption(seconds('--expect-within <seconds>', minTimeoutSeconds, 'the timeout, instead of --schedule'))
    .addOption(seconds('--grace <seconds>', 0, 'how late a heartbeat may be'))
    .addOption(seconds('--max-run <seconds>', 1, 'how long a run may take'))
    .action(async (id, options) => (await components()).changeComponent(cli, id, options))
  status
    .command('runs')
    .description('List the last 20 runs of a component, newest first.')
    .argument('<component>')
    .option('--output', 'with the output of each', false)
    .action(async (id, { output }) => (await components()).listRuns(cli, id, output))
  status
    .command('incidents')
    .description('List incidents, newest first.')
    .option('--component <id>', 'only of this component')
    .option('--open', 'only open ones', false)
    .action(async (options) => (await acts()).listIncidents(cli, options))
  status
    .command('open-incident')
    .description('Open an incident by hand, for the readers of the status page.')
    .argument('<title>', 'at most 100 characters')
    .requiredOption('--text <text>', 'what is known so far, at most 2,000 characters')
    .addOption(level().makeOptionMandatory())
    .option('--component <id...>', 'components that it affects; none: the service as a whole')
    .addOption(pastTime('--from <time>', 'when it began, by default now'))
    .action(async (title, options) => (await writing()).openIncident(cli, title, options))
  status
    .command('update-incident')
    .description('Write an update of an incident, or its postmortem.')
    .argument('<id>', 'as status written-incidents or status incidents --json has it')
    .addArgument(new Argument('<stage>').choices(stages))
    .argument('<text>', 'at most 2,000 characters')
    .addOption(level())
    .option('--component <id...>', 'components that it affects from now on')
    .action(async (id, stage, text, options) => (await writing()).updateIncident(cli, { id, stage, text, ...options }))
  status
    .command('delete-incident')
    .description('Delete what people wrote about an incident; one that was opened by hand, as a whole.')
    .argument('<id>', 'as status written-incidents has it')
    .option('--yes', 'do not ask for confirmation', false)
    .action(async (id, options) => (await writing()).deleteIncident(cli, id, options))
  status
    .command('written-incidents')
    .description('List the incidents that people wrote about, newest first.')
    .action(async () => (await writing()).listWrittenIncidents(cli))
  status
    .command('retire')
    .description('Delete a component with its status changes, runs and uptime. Its incidents stay listed for 90 days.')
    .argument('<component>')
    .addOption(
      new Option('--publish <status>', 'what to publish to its status pages')
        .choices(['operational', 'maintenance', 'nothing'])
        .default('maintenance'),
    )
    .option('--yes', 'do not ask for confirmation', false)
    .action(async (id, options) => (await acts()).retireComponent(cli, id, options))
  status
    .command('acknowledge')
    .description('Acknowledge the outage of a component: no more reminders, and its alert channels are told.')
    .argument('<component>')
    .addOption(by())
    .action(async (id, options) => (await acts()).acknowledge(cli, id, options))
  status
    .command('mute')
    .description('Send no alerts of a component until a time.')
    .argument('<component>')
    .addOption(coming('--until <time>', 'end, at most 31 days from now').argParser(readComing))
    .option('--end', 'send alerts again now', false)
    .addOption(by())
    .action(async (id, options) => (await acts()).mute(cli, id, options))
  status
    .command('maintenance')
    .description('Announce maintenance of components, change or end it, or list it.')
    .argument('[component...]')
    .addOption(from('start, by default now; with --change, as it was'))
    .addOption(until('end, at most 31 days later'))
    .option('--text <text>', 'text shown with the maintenance')
    .option('--change <id>', 'change this maintenance; what is not given stays as it is')
    .option('--end <id>', 'end or cancel this maintenance')
    .action(async (ids, options) => (await acts()).maintenance(cli, ids, options))
  status
    .command('recurring-maintenance')
    .description('Announce maintenance that recurs by a cron expression, or list it.')
    .argument('[component...]')
    .option('--schedule <cron>', 'when it begins: a cron expression of five fields, such as "0 3 * * 0"')
    .option('--tz <zone>', 'the time zone of --schedule, by default UTC')
    .addOption(duration())
    .option('--text <text>', 'text shown with the maintenance')
    .option('--end <id>', 'end it: cancels what has not begun')
    .action(async (ids, options) =>
      (await import('./recurring-maintenance.ts')).recurringMaintenance(cli, ids, options),
    )
  status
    .command('announce')
    .description('Post an announcement on the status page of the API, or list the announcements.')
    .argument('[text]', 'at most 500 characters')
    .addOption(from('start, by default now'))
    .addOption(until('end, by default none'))
    .option('--end <id>', 'end or cancel this announcement')
    .action(async (text, options) => (await acts()).announce(cli, text, options))
  status
    .command('test')
    .description('Send a harmless request to a target, and show the response.')
    .argument('<target>')
    .addHelpText(
      'after',
      '\nReads the components of a status page, or sends a test message to an alert channel or webhook.',
    )
    .action(async (target) => (await acts()).testTarget(cli, target))
  status.addHelpText(
    'after',
    `
The worker is reached at STATUS_WORKER_URL, by default at STATUS_HOST and STATUS_PORT. It must allow this address
(STATUS_ALLOW, and STATUS_ADMIN_ALLOW for changes). Changes are audited in the database of the API.`,
  )
}
