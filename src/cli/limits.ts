import type { Command } from 'commander'
import type { Cli } from './cli-context.ts'

export function limitCommands(program: Command, cli: Cli): void {
  const limits = program.command('limits').description('show and reset rate limit counters in Redis')
  const acts = () => import('./limit-counters.ts')
  limits
    .command('show')
    .description('Show the counters of an address, a username or a user id.')
    .argument('<address|name|id>')
    .addHelpText('after', `${whoHelp}\n${showHelp}`)
    .action(async (who: string) => (await acts()).showLimits(cli, who))
  limits
    .command('reset')
    .description('Reset all counters of an address, a username or a user id.')
    .argument('<address|name|id>')
    .addHelpText('after', `${whoHelp}\n${resetHelp}`)
    .action(async (who: string) => (await acts()).resetLimits(cli, who))
}

const whoHelp = `
Any spelling of an address works; IPv6 addresses are counted by RATE_LIMIT_IPV6_PREFIX. A username is case-insensitive, and
need not exist; image reports are counted by the id of the user, which user show prints. An argument that may be an address
or a name is treated as both. Without REDIS_URL the counters are in the memory of the running service, and cannot be
accessed from here.`

const showHelp = `An instance that was disconnected from Redis may have counted more in memory. With --json, limit 0 and remaining null mean
that the limit is disabled.`

const resetHelp = `Running instances see a reset with their next request. The audit does not record it.`
