import { cliOrigin } from '../accounts/audit.ts'
import * as acts from '../api/admin-status/acts.ts'
import { findLeader, type NoLeader } from '../api/ask-workers.ts'
import { readConfig } from '../config/config.ts'
import { workerUrlOf } from '../config/worker-url.ts'
import { openTarget } from '../drivers/status-pages/open-target.ts'
import { literal, mismatch, object, type Schema, string, type TypeOf } from '../http/schema.ts'
import { isoTime } from '../lib/timestamps.ts'
import { errors } from '../status/errors.ts'
import { othersOf } from '../status/other-maintenance.ts'
import * as schemas from '../status/schemas.ts'
import { withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { Failed, WrongUsage } from './failure.ts'
import { readComingTime } from './local-time.ts'
import { onOneLine, quoted } from './output.ts'

interface IncidentOptions {
  readonly component?: string
  readonly open: boolean
}

interface RetireOptions {
  readonly publish: string
  readonly yes: boolean
}

interface MaintenanceOptions {
  readonly from?: string
  readonly until?: string
  readonly text?: string
  readonly change?: string
  readonly end?: string
}

interface MuteOptions {
  readonly until?: string
  readonly end: boolean
  readonly by: string
}

type AnnounceOptions = Omit<MaintenanceOptions, 'text' | 'change'>

type Announcement = TypeOf<typeof schemas.announcement>['announcement']
type Maintenance = TypeOf<typeof schemas.maintenance>['maintenance']

const timeoutMs = 10_000
/** The most that the worker returns at once. */
const maxIncidents = 500

export async function listIncidents(cli: Cli, { component, open }: IncidentOptions): Promise<void> {
  const terms = new URLSearchParams({
    limit: String(maxIncidents),
    ...(component !== undefined && { componentId: component }),
    ...(open && { open: 'true' }),
  })
  const { incidents, next } = await query(cli, schemas.incidents, 'GET', `/incidents?${terms}`)
  const rows = incidents.map(({ componentId, startedAt, resolvedAt }) => [componentId, startedAt, resolvedAt ?? 'open'])
  await cli.out.print({ incidents, next }, cli.out.list(['COMPONENT', 'STARTED', 'RESOLVED'], rows))
  if (next !== null) cli.out.note(`These are the newest ${maxIncidents}; GET /incidents has the others.`)
}

export async function retireComponent(cli: Cli, id: string, { publish, yes }: RetireOptions): Promise<void> {
  if (!yes) {
    cli.ask.checkPossible()
    await query(cli, schemas.snapshot, 'GET', `/health/${encodeURIComponent(id)}`)
    await cli.ask.confirm(`The component ${quoted(id)} will be deleted with its status changes, runs and uptime.`)
  }
  const retired = await change(cli, acts.retireComponent(id, publish))
  await cli.out.print({ componentId: retired.componentId }, `Retired ${retired.componentId}.`)
}

export async function acknowledge(cli: Cli, id: string, { by }: { readonly by: string }): Promise<void> {
  const { componentId, acknowledgement } = await change(cli, acts.acknowledgeOutage(id, by))
  await cli.out.print({ componentId, acknowledgement }, `The outage of ${componentId} is acknowledged by ${by}.`)
}

export async function mute(cli: Cli, id: string, { until, end, by }: MuteOptions): Promise<void> {
  if ((until === undefined) !== end) throw new WrongUsage('Pass either --until <time> or --end.')
  const act = until === undefined ? acts.unmuteComponent(id) : acts.muteComponent(id, until, by)
  const { componentId, mute } = await change(cli, act)
  const text =
    mute === null ? `Alerts of ${componentId} are sent again.` : `No alerts of ${componentId} until ${mute.until}.`
  await cli.out.print({ componentId, mute }, text)
}

export async function maintenance(cli: Cli, components: readonly string[], options: MaintenanceOptions): Promise<void> {
  const { end, change: id, until, ...others } = options
  const terms = { ...others, ...(until !== undefined && { until: await readUntil(cli, options, until) }) }
  const isListing = components.length === 0
  if (end !== undefined) {
    if (!isListing || Object.keys(options).length > 1)
      throw new WrongUsage('--end takes no components and no other option.')
    const ended = await change(cli, acts.endMaintenance(end))
    return show(cli, [ended.maintenance])
  }
  if (id !== undefined) {
    if (isListing && Object.keys(terms).length === 0)
      throw new WrongUsage('Name what changes: components, --from, --until or --text.')
    const changes = { ...terms, ...(!isListing && { components }), ...(terms.text === '' && { text: null }) }
    const after = await change(cli, acts.changeMaintenance(id, changes))
    await show(cli, [after.maintenance])
    return noteOthers(cli, after.maintenance)
  }
  if (isListing && Object.keys(terms).length > 0) throw new WrongUsage('Name the components to maintain.')
  if (isListing) {
    const found = await query(cli, schemas.maintenances, 'GET', '/maintenance')
    return show(cli, found.maintenance)
  }
  if (terms.until === undefined) throw new WrongUsage('Missing --until <time>, such as 2h or 2026-06-01T12:00:00Z.')
  const announced = await change(cli, acts.announceMaintenance({ components, ...terms }))
  await show(cli, [announced.maintenance])
  await noteUnheard(cli, components)
  await noteOthers(cli, announced.maintenance)
}

/** A duration or a time of day counts from the start; from now, if maintenance that is changed has begun. */
async function readUntil(cli: Cli, { from, change: id }: MaintenanceOptions, text: string): Promise<string> {
  const now = cli.clock.now()
  if (from !== undefined) return isoTime(readComingTime(text, Date.parse(from)))
  if (id === undefined) return isoTime(readComingTime(text, now))
  const { maintenance } = await query(cli, schemas.maintenances, 'GET', '/maintenance')
  const changed = maintenance.find((each) => each.id === id)
  return isoTime(readComingTime(text, changed ? Math.max(now, Date.parse(changed.from)) : now))
}

async function noteOthers(cli: Cli, window: Maintenance): Promise<void> {
  const found = await query(cli, schemas.maintenances, 'GET', '/maintenance').catch(() => null)
  for (const { other, both } of othersOf(window, found?.maintenance ?? []))
    cli.out.note(`Other maintenance of ${both.join(', ')}: ${other.id}, from ${other.from} to ${other.until}.`)
}

/** For what takes any name, since a component may be named before its first heartbeat. */
export async function noteUnheard(cli: Cli, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const path = `/components?componentId=${encodeURIComponent(ids.join())}`
  // It is done, whether or not this can be told.
  const found = await query(cli, schemas.components, 'GET', path).catch(() => null)
  const unheard = ids.filter((id) => found?.components.every(({ componentId }) => componentId !== id))
  if (unheard.length > 0) cli.out.note(`No heartbeat has come from ${unheard.join(', ')} so far.`)
}

/** The real end, if it was ended before the planned one; one that never began has none. */
const endOf = ({ from, until, endedAt }: Pick<Announcement, 'from' | 'until' | 'endedAt'>): string =>
  endedAt !== null && endedAt < from ? 'cancelled' : (endedAt ?? until ?? '-')

async function show(cli: Cli, found: readonly Maintenance[]): Promise<void> {
  const rows = found.map((window) => [
    ...[window.id, window.state, window.from, endOf(window), window.components.join(', ')],
    onOneLine(window.text ?? ''),
  ])
  await cli.out.print(
    { maintenance: found },
    cli.out.list(['ID', 'STATE', 'FROM', 'UNTIL', 'COMPONENTS', 'TEXT'], rows),
  )
}

export async function announce(cli: Cli, text: string | undefined, options: AnnounceOptions): Promise<void> {
  const { end, until, ...others } = options
  const terms = { ...others, ...(until !== undefined && { until: await readUntil(cli, options, until) }) }
  const hasTerms = Object.keys(terms).length > 0
  if (end !== undefined && (text !== undefined || hasTerms))
    throw new WrongUsage('--end takes no text and no other option.')
  if (end !== undefined) {
    const ended = await change(cli, acts.endAnnouncement(end))
    return showAnnouncements(cli, [ended.announcement])
  }
  if (text !== undefined) {
    const made = await change(cli, acts.announce({ text, ...terms }))
    return showAnnouncements(cli, [made.announcement])
  }
  if (hasTerms) throw new WrongUsage('Missing the text to announce.')
  const { announcements } = await query(cli, schemas.announcements, 'GET', '/announcements')
  await showAnnouncements(cli, announcements)
}

async function showAnnouncements(cli: Cli, found: readonly Announcement[]): Promise<void> {
  const rows = found.map((each) => [each.id, each.state, each.from, endOf(each), onOneLine(each.text)])
  await cli.out.print({ announcements: found }, cli.out.list(['ID', 'STATE', 'FROM', 'UNTIL', 'TEXT'], rows))
}

export async function testTarget(cli: Cli, name: string): Promise<void> {
  const config = readConfig(cli.env)
  const { statusTargets } = config
  const target = statusTargets.find((each) => each.name === name)
  if (target === undefined) {
    const names = statusTargets.map((each) => each.name).join(', ') || 'none'
    throw new Failed(`There is no target ${quoted(name)}; STATUS_SERVICE_KIND and STATUS_TARGETS configure: ${names}.`)
  }
  const page = openTarget(target, config, { clock: cli.clock, source: 'none' })
  const { probe, outcome } = await page.test()
  await page.close()
  const body = probe.body ? `\n${probe.body.split('\n').map(onOneLine).join('\n')}` : ''
  const response = probe.error ?? (probe.httpStatus === null ? 'accepted' : `HTTP ${probe.httpStatus}`)
  if (outcome.kind !== 'accepted' || probe.error !== null)
    throw new Failed(`${target.kind} at ${probe.url}: ${response}.${body}`)
  await cli.out.print(
    { target: name, ...probe },
    `${target.kind} at ${probe.url}: ${response}, ${probe.durationMs} ms.${body}`,
  )
}

/** Changes only what it can audit: the API's database is opened first. */
export const change = <S extends Schema>(cli: Cli, act: acts.StatusAct<S>): Promise<TypeOf<S>> =>
  withAccounts(cli, { mayMake: false }, ({ records }) => {
    const tell = ({ schema, method, path, body }: acts.StatusAct) => tellWorker(cli, schema, method, path, body)
    return acts.carryOut({ records, tell }, cliOrigin, act)
  })

export const query = async <Reply>(cli: Cli, schema: Schema<Reply>, method: string, path: string): Promise<Reply> =>
  (await tellWorker(cli, schema, method, path)).reply

/** Sends it to the leading worker, once: without a valid reply, it may have been done. */
async function tellWorker<Reply>(
  { env }: Cli,
  schema: Schema<Reply>,
  method: string,
  path: string,
  body?: object,
): Promise<{ reply: Reply; requestId: string | null }> {
  const config = readConfig(env)
  const worker = await findLeader(config.STATUS_WORKER_URL ?? [workerUrlOf(config)]).catch((error: NoLeader) => {
    const problem = error.isStandingBy ? 'every status worker that responds stands by' : 'no status worker is reachable'
    throw new Failed(`STATUS_WORKER_URL: ${problem}.`)
  })
  const response = await fetch(`${worker}${path}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
    throw new Failed(`STATUS_WORKER_URL: the status worker at ${worker} is unreachable (${code ?? error.name}).`)
  })
  const reply: unknown = await response.json().catch(() => null)
  const problem = mismatch(schema, reply)
  if (response.ok && problem === null) return { reply: reply as Reply, requestId: response.headers.get('x-request-id') }
  const reason = errorIn(reply) ?? `not the reply of a status worker of this version (${onOneLine(problem ?? '')})`
  const hint = hints[reason] ?? ''
  throw new Failed(
    `The status worker at ${worker} responded to ${method} ${path} with HTTP ${response.status}: ${reason}.${hint}`,
  )
}

const hints: Readonly<Record<string, string>> = {
  [errors.standingBy.message]: ' If there is no other, it waits for its database.',
  [errors.unknown.message]: ' See status components.',
}

const errorIn = (reply: unknown): string | null =>
  mismatch(refusal, reply) === null ? onOneLine((reply as TypeOf<typeof refusal>).error) : null
const refusal = object({ ok: literal(false), error: string() })
