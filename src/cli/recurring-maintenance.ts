import * as acts from '../api/admin-status/acts.ts'
import type { TypeOf } from '../http/schema.ts'
import * as schemas from '../status/recurring-schemas.ts'
import type { Cli } from './cli-context.ts'
import { WrongUsage } from './failure.ts'
import { onOneLine } from './output.ts'
import { change, noteUnheard, query } from './status-worker.ts'

interface RecurringOptions {
  readonly schedule?: string
  readonly tz?: string
  readonly duration?: number
  readonly text?: string
  readonly end?: string
}

type Recurring = TypeOf<typeof schemas.recurringMaintenance>['recurring']

export async function recurringMaintenance(
  cli: Cli,
  components: readonly string[],
  { end, duration: durationSeconds, ...terms }: RecurringOptions,
): Promise<void> {
  const hasTerms = Object.keys(terms).length > 0 || durationSeconds !== undefined
  if (end !== undefined && (components.length > 0 || hasTerms))
    throw new WrongUsage('--end takes no components and no other option.')
  if (end !== undefined) return show(cli, [(await change(cli, acts.endRecurringMaintenance(end))).recurring])
  if (components.length === 0 && hasTerms) throw new WrongUsage('Name the components to maintain.')
  if (components.length === 0)
    return show(cli, (await query(cli, schemas.recurringMaintenances, 'GET', '/maintenance/recurring')).recurring)
  if (terms.schedule === undefined || durationSeconds === undefined)
    throw new WrongUsage(
      "Missing --schedule <cron> or --duration <seconds>, such as --schedule '0 3 * * 0' --duration 7200.",
    )
  const order = acts.announceRecurringMaintenance({ components, durationSeconds, ...terms })
  await show(cli, [(await change(cli, order)).recurring])
  await noteUnheard(cli, components)
}

async function show(cli: Cli, found: readonly Recurring[]): Promise<void> {
  const rows = found.map(({ id, schedule, tz, durationSeconds, windows, endedAt, components, text }) => [
    ...[id, schedule, tz, `${durationSeconds} s`, endedAt === null ? (windows[0]?.from ?? 'never') : 'ended'],
    ...[components.join(', '), onOneLine(text ?? '')],
  ])
  const heading = ['ID', 'SCHEDULE', 'TZ', 'DURATION', 'NEXT', 'COMPONENTS', 'TEXT']
  await cli.out.print({ recurring: found }, cli.out.list(heading, rows))
}
