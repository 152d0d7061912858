import { type Command, Option } from 'commander'
import { listEvents } from '../accounts/admin/list-events.ts'
import { toEvent } from '../accounts/admin/schemas.ts'
import { type Action, type AuditEvent, actions, type Outcome, outcomes } from '../accounts/audit.ts'
import { isId } from '../lib/ids.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type Accounts, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'
import { pageSize, writeList } from './list.ts'
import { readEnd, readTime } from './local-time.ts'
import { wholeNumberUpTo } from './numbers.ts'
import { onOneLine } from './output.ts'

interface Filter {
  readonly actor?: string
  readonly target?: string
  readonly action?: Action
  readonly outcome?: Outcome
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

interface Line {
  readonly event: AuditEvent
  readonly actor: string
  readonly target: string
}

export function auditCommand(program: Command, cli: Cli): void {
  program
    .command('audit')
    .description('Show who did what, newest first.')
    .option('--actor <who>', 'only acts of this username or id, or of cli or system')
    .option('--target <what>', 'only acts on this username or id, or on this object: <bucket>/<name>')
    .addOption(new Option('--action <action>', 'only this action').choices(actions))
    .addOption(new Option('--outcome <outcome>', 'only with this outcome').choices(outcomes))
    .addOption(new Option('--from <time>', 'only from this date or time on').argParser(readTime))
    .addOption(new Option('--to <time>', 'only up to this date or time, inclusive').argParser(readEnd))
    .addOption(
      new Option('--limit <n>', 'maximum number of events')
        .argParser(wholeNumberUpTo(Number.MAX_SAFE_INTEGER))
        .default(50),
    )
    .addHelpText('after', help)
    .action((filter: Filter) => showAudit(cli, filter))
}

const help = `
Times without a zone are in the zone of this machine; printed times are in UTC. Names are the current ones; a deleted
account is shown by its id. With --json the events are those of GET /admin/audit.`

const showAudit = (cli: Cli, filter: Filter): Promise<void> =>
  withAccounts(cli, { mayMake: false }, (accounts) =>
    writeList(cli.out, {
      name: 'events',
      pages: pagesOf(accounts, filter),
      heading: ['TIME', 'ACTION', 'OUTCOME', 'ACTOR', 'TARGET', 'ADDRESS', 'COUNT', 'CHANGE'],
      rowOf: ({ event, actor, target }) => [
        isoTime(event.at),
        event.action,
        onOneLine(event.outcome),
        actor,
        onOneLine(target),
        event.address ?? '',
        String(event.count),
        onOneLine(changeOf(event)),
      ],
      shown: ({ event }) => toEvent(event),
    }),
  )

async function* pagesOf(accounts: Accounts, { limit, ...filter }: Filter): AsyncGenerator<Line[]> {
  const nameOf = namesFrom(accounts)
  let cursor: string | undefined
  for (let left = limit; left > 0; left -= pageSize) {
    const query = { ...filter, limit: Math.min(left, pageSize), cursor }
    const { rows, next } = await listEvents(accounts, query as Parameters<typeof listEvents>[1])
    const lines: Line[] = []
    for (const event of rows)
      lines.push({ event, actor: await nameOf(event.actor), target: await nameOf(event.target) })
    if (lines.length > 0) yield lines
    if (next === null) return
    cursor = next
  }
}

function namesFrom({ users }: Accounts) {
  const known = new Map<string, string>()
  return async (who: string | null): Promise<string> => {
    if (who === null || !isId(who)) return who ?? ''
    const name = known.get(who) ?? (await users.find({ id: who }))?.username ?? who
    known.set(who, name)
    return name
  }
}

/** `role: user > support`. */
function changeOf({ before, after }: AuditEvent): string {
  const changes = [...new Set(Object.keys({ ...before, ...after }))].map((name) => {
    const values = [before?.[name] ?? null, after?.[name] ?? null].filter((value) => value !== null)
    return values.length === 0 ? [] : `${name}: ${values.join(' > ')}`
  })
  return changes.flat().join(', ')
}
