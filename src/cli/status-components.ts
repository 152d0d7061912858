import * as acts from '../api/admin-status/acts.ts'
import type { TypeOf } from '../http/schema.ts'
import { runs as runsSchema } from '../status/run-schemas.ts'
import * as schemas from '../status/schemas.ts'
import { acceptedText, sentText } from '../status/told.ts'
import type { Cli } from './cli-context.ts'
import { WrongUsage } from './failure.ts'
import { onOneLine } from './output.ts'
import { change, query } from './status-worker.ts'

interface ChangeOptions {
  readonly schedule?: string
  readonly tz?: string
  readonly expectWithin?: number
  readonly grace?: number
  readonly maxRun?: number
}

type Component = TypeOf<typeof schemas.component>['component']
type Run = TypeOf<typeof runsSchema>['runs'][number]

const dueText = ({ schedule, tz, timeoutSeconds }: Component) =>
  schedule === null ? `${timeoutSeconds} s` : `${schedule} ${tz}`

export async function listComponents(cli: Cli): Promise<void> {
  const { components, neverHeard } = await query(cli, schemas.components, 'GET', '/components')
  const unheard = [...new Set(neverHeard.flatMap((each) => each.components))].sort()
  const note = unheard.length === 0 ? '' : `\n\nNo heartbeat is known of: ${unheard.join(', ')}`
  await cli.out.print({ components, neverHeard }, componentTable(cli, components) + note)
}

type Target = Component['targets'][number]

/** What was not accepted after that. */
function lastFailure(target: Target): string {
  const [last] = target.lastPushes
  if (!last || last.outcome === 'accepted') return ''
  const reason = last.reason === null ? '' : `: ${onOneLine(last.reason)}`
  const again = target.retryAt === null ? '' : `; is tried again by ${target.retryAt}`
  return ` ("${sentText(last)}" ${last.outcome}${reason}${again})`
}

const alertsOf = ({ acknowledgement, mute }: Component) =>
  [
    acknowledgement && `acknowledged by ${onOneLine(acknowledgement.by)}`,
    mute && `muted by ${onOneLine(mute.by)} until ${mute.until}`,
  ]
    .filter((text) => text !== null)
    .join(', ') || '-'

function componentTable(cli: Cli, components: readonly Component[]): string {
  const rows = components.map((component) => {
    const { componentId, wantedStatus, heartbeat, lastHeartbeatAt, deadlineAt, targets } = component
    return [
      ...[componentId, wantedStatus, heartbeat, lastHeartbeatAt, dueText(component), deadlineAt],
      targets
        .map((each) =>
          each.isMapped ? `${each.target}: ${acceptedText(each)}${lastFailure(each)}` : `${each.target}: not mapped`,
        )
        .join(', '),
      alertsOf(component),
    ]
  })
  return cli.out.list(['COMPONENT', 'STATUS', 'HEARTBEAT', 'LAST', 'EXPECTED', 'DEADLINE', 'PUBLISHED', 'ALERTS'], rows)
}

export async function changeComponent(cli: Cli, id: string, options: ChangeOptions): Promise<void> {
  if (Object.keys(options).length === 0) throw new WrongUsage('Pass what to change, such as --schedule "0 3 * * *".')
  const { expectWithin, grace, maxRun, ...cron } = options
  const { component } = await change(
    cli,
    acts.changeComponent(id, {
      ...cron,
      ...(expectWithin !== undefined && { expectWithinSeconds: expectWithin }),
      ...(grace !== undefined && { graceSeconds: grace }),
      ...(maxRun !== undefined && { maxRunSeconds: maxRun }),
    }),
  )
  const { nextRunAt, deadlineAt, graceSeconds, maxRunSeconds } = component
  const lines = [
    `Expected: ${dueText(component)}, with a grace period of ${graceSeconds} s; a run may take ${maxRunSeconds} s.`,
    ...(nextRunAt === null ? [] : [`Next run: ${nextRunAt}`]),
    `Deadline: ${deadlineAt}`,
  ]
  await cli.out.print({ component }, lines.join('\n'))
  if (isOverridden(component, options))
    cli.out.note(
      `STATUS_TIMEOUTS of the worker overrides when ${component.componentId} is due. The change is kept for when STATUS_TIMEOUTS no longer names it.`,
    )
}

/** It overrides a grace period only if it has one itself, and how long a run may take never. */
const isOverridden = ({ timeoutFrom, graceSeconds }: Component, { schedule, tz, expectWithin, grace }: ChangeOptions) =>
  timeoutFrom === 'setting' &&
  ((schedule ?? tz ?? expectWithin) !== undefined || (grace !== undefined && grace !== graceSeconds))

export async function listRuns(cli: Cli, id: string, hasOutput: boolean): Promise<void> {
  const found = await query(cli, runsSchema, 'GET', `/components/${encodeURIComponent(id)}/runs`)
  const { componentId, maxRunSeconds, runs } = found
  const heading = ['RUN', 'STARTED', 'DURATION', 'OUTCOME', 'EXIT CODE', 'OVERLAPS']
  const list = cli.out.list(heading, runs.map(cellsOf))
  const outputs = hasOutput ? runs.map(outputOf).filter((text) => text !== null) : []
  await cli.out.print({ componentId, maxRunSeconds, runs }, [list, ...outputs].join('\n\n'))
}

const cellsOf = ({ id, rid, startedAt, durationSeconds, outcome, exitCode, overlaps }: Run) => [
  ...[rid ?? id, startedAt ?? '-', durationSeconds === null ? '-' : `${durationSeconds} s`],
  ...[outcome, String(exitCode ?? '-'), overlaps ? 'yes' : '-'],
]

const outputOf = ({ id, rid, body }: Run): string | null =>
  body === null ? null : [`${rid ?? id}:`, ...body.split('\n').map(onOneLine)].join('\n  ')
