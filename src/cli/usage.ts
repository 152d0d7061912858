import { type Command, InvalidArgumentError, Option } from 'commander'
import { showUsage } from '../accounts/admin/show-usage.ts'
import { readConfig } from '../config/config.ts'
import { readMoment } from '../lib/timestamps.ts'
import { findAccount, withAccounts } from './accounts.ts'
import type { Cli } from './cli-context.ts'

interface Period {
  readonly from?: string
  readonly to?: string
}

export function usageCommand(program: Command, cli: Cli): void {
  program
    .command('usage')
    .description('Show the counted requests of one user, or of all users together, by day in UTC.')
    .argument('[username|id]')
    .addOption(new Option('--from <day>', 'first day, such as 2026-06-01').argParser(readDay))
    .addOption(new Option('--to <day>', 'last day, by default today').argParser(readDay))
    .addHelpText('after', '\nA running service writes its counts once a second. Days without a request are omitted.')
    .action((who: string | undefined, period: Period) => printUsage(cli, who, period))
}

function readDay(text: string): string {
  if (!text.includes('T') && readMoment(text)) return text
  throw new InvalidArgumentError('Expected a day, such as 2026-06-01.')
}

const printUsage = (cli: Cli, who: string | undefined, { from, to }: Period): Promise<void> =>
  withAccounts(cli, { mayMake: false }, async (accounts) => {
    const user = who === undefined ? null : await findAccount(accounts.users, who)
    const keepUsageDays = readConfig(cli.env).USAGE_KEEP_DAYS
    const days = await showUsage({ ...accounts, keepUsageDays }, { from, to, userId: user?.id, username: undefined })
    const columns = ['auth', 'admin', 'images', 'total', ...(days.some(({ keys }) => keys) ? ['keys'] : [])] as const
    const rows = days.map((day) => [day.day, ...columns.map((name) => String(day[name as 'total'] ?? 0))])
    const heading = ['DAY', ...columns.map((name) => (name === 'keys' ? 'WITH KEYS' : name.toUpperCase()))]
    await cli.out.print({ usage: days }, days.length === 0 ? 'No counted requests.' : cli.out.list(heading, rows))
  })
