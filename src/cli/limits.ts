import type { Command } from 'commander'
import type { Cli } from './cli-context.ts'

/** What they do is loaded when it is asked for: the other commands start without it. */
export function limitCommands(program: Command, cli: Cli): void {
  const limits = program.command('limits').description('rate limits over Redis: look at counters, reset them')
  const acts = () => import('./limit-counters.ts')
  limits
    .command('show')
    .description('Shows how much of its limits an address, or a username, has used.')
    .argument('<address|name>')
    .addHelpText('after', `${whoHelp}\n${showHelp}`)
    .action(async (who: string) => (await acts()).showLimits(cli, who))
  limits
    .command('reset')
    .description('Resets all counters of an address, or of a username.')
    .argument('<address|name>')
    .addHelpText('after', `${whoHelp}\n${resetHelp}`)
    .action(async (who: string) => (await acts()).resetLimits(cli, who))
}

const whoHelp = `
An address may be spelled in any way; IPv6 counts by RATE_LIMIT_IPV6_PREFIX. A username may be in any case, and nobody
need have it. What may be both is taken for both. Without REDIS_URL the counters are in the memory of the running
service, and out of reach from here.`

const showHelp = `An instance that was without Redis for a while may have counted more by itself. With --json, limit 0 and remaining null
mean that the limit is switched off.`

const resetHelp = `A reset reaches the running instances with their next request. The audit does not record it.`
