import type { Readable, Writable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import { cliCommand, cliInScripts, readPackage } from '../config/package.ts'
import { createAsk, type MaybeTerminal } from './ask.ts'
import { auditCommand } from './audit.ts'
import { backupCommands } from './backup/commands.ts'
import type { Cli, Signals } from './cli-context.ts'
import { completionCommand } from './completion/command.ts'
import { configCommands } from './config.ts'
import { dbCommands } from './db.ts'
import { failureOf, WrongUsage } from './failure.ts'
import { fittedHelp, helpCommand, helpConfiguration, helpWidth } from './help.ts'
import { imageCommands } from './images/images.ts'
import { Interrupted } from './interrupt.ts'
import { keyCommands } from './keys.ts'
import { limitCommands } from './limits.ts'
import { moveCommand } from './move/command.ts'
import { createOutput } from './output.ts'
import type { Screen } from './progress.ts'
import { statusCommands } from './status.ts'
import { usageCommand } from './usage.ts'
import { ownerCommands, userCommands } from './users.ts'

export interface CliWorld extends Omit<Cli, 'ask' | 'out' | 'signals'> {
  readonly signals?: Signals
  readonly stdin: MaybeTerminal<Readable>
  readonly stdout: Screen
  readonly stderr: MaybeTerminal<Writable>
}

const helpEnd = `
Like the service, this tool reads its settings from the environment; both may run at the same time.

In scripts, use ${cliInScripts} <command> --json: it prints one JSON document, or {"error": "..."} on standard error.

Exit codes: 0 success; 1 failure (such as an invalid setting, an unavailable database, an unknown user, not confirmed);
2 wrong usage (such as an unknown command, option or role, or a confirmation without a terminal and without --yes);
130 interrupted by Ctrl-C.`

/** What commander throws if a command is missing. */
const isHelp = (error: unknown) => error instanceof CommanderError && error.code === 'commander.help'

function missingCommand(program: Command, args: readonly string[]): string {
  let command = program
  for (const arg of args) command = command.commands.find((each) => each.name() === arg) ?? command
  if (command === program) return 'Missing command; see --help.'
  const names = command.commands.map((each) => each.name()).join(', ')
  return `Missing command after ${command.name()}: ${names}. See ${command.name()} --help.`
}

/** Runs the command line; returns the exit code. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<number> {
  const { stdin, stdout, stderr } = world
  const program = new Command(cliCommand)
  const ask = createAsk(stdin, stderr)
  const output = (json: boolean) => createOutput(stdout, stderr, json)
  const wantsJson = () => program.opts<{ json?: boolean }>().json === true
  const cli: Cli = {
    ...world,
    signals: world.signals ?? process,
    ask,
    get out() {
      return output(wantsJson())
    },
  }
  program
    .description('Administers Menagerie.')
    .option('--json', 'print one JSON document')
    .version(readPackage().version, '--version', 'print the version')
    .configureHelp(helpConfiguration)
    .addHelpText('afterAll', helpEnd)
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => helpWidth(stdout),
      writeOut: (text) => stdout.write(fittedHelp(text, stdout)),
      writeErr() {},
      outputError() {},
    })
  ownerCommands(program, cli)
  userCommands(program, cli)
  keyCommands(program, cli)
  auditCommand(program, cli)
  usageCommand(program, cli)
  configCommands(program, cli)
  dbCommands(program, cli)
  imageCommands(program, cli, stderr)
  limitCommands(program, cli)
  statusCommands(program, cli)
  backupCommands(program, cli, { stdin, stdout, screen: stderr })
  moveCommand(program, cli, stderr)
  completionCommand(program, cli)
  helpCommand(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const failure = isHelp(error) ? new WrongUsage(missingCommand(program, args)) : error
    const { exitCode, message } = failure instanceof Interrupted ? failure : failureOf(failure)
    // Parsing may have failed before reaching the option.
    output(wantsJson() || args.includes('--json')).fail(message)
    return exitCode
  } finally {
    ask.close()
  }
}
