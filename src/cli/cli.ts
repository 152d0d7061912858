import type { Readable, Writable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import type { Env } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { createAsk, type MaybeTerminal } from './ask.ts'
import { backupCommands } from './backup/commands.ts'
import type { Cli } from './cli-context.ts'
import { configCommands } from './config.ts'
import { dbCommands } from './db.ts'
import { failureOf } from './failure.ts'
import { imageCommands } from './images/images.ts'
import { Interrupted } from './interrupt.ts'
import { limitCommands } from './limits.ts'
import { createOutput } from './output.ts'
import { ownerCommands, userCommands } from './users.ts'

export interface CliWorld {
  readonly env: Env
  readonly clock: Clock
  readonly stdin: MaybeTerminal<Readable>
  readonly stdout: MaybeTerminal<Writable>
  readonly stderr: MaybeTerminal<Writable>
}

const helpEnd = `
Settings come from the environment, as for the service; both may run at the same time.
For scripts: node src/bin/cli.ts <command> --json answers one JSON document; an error is {"error": "..."} on standard error.
Exit codes: 0 done; 1 failed (a bad setting, the database away, an unknown user, a name taken, not confirmed);
2 wrong usage (an unknown command, option or role; a question without a terminal and without --yes);
130 broken off by Ctrl-C.`

/** The operator's tool, from its arguments to its exit code. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<number> {
  const { env, clock, stdin, stdout, stderr } = world
  const program = new Command('npm run cli --')
  const ask = createAsk(stdin, stderr)
  const output = (json: boolean) => createOutput(stdout, stderr, json)
  const wantsJson = () => program.opts<{ json?: boolean }>().json === true
  const cli: Cli = {
    env,
    clock,
    ask,
    get out() {
      return output(wantsJson())
    },
  }
  program
    .description('The tool of the operator of Menagerie.')
    .option('--json', 'answer with one JSON document')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('afterAll', helpEnd)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr() {}, outputError() {} })
  ownerCommands(program, cli)
  userCommands(program, cli)
  configCommands(program, cli)
  dbCommands(program, cli)
  imageCommands(program, cli, stderr)
  limitCommands(program, cli)
  backupCommands(program, cli, { stdin, stdout, screen: stderr })
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const { exitCode, message } = error instanceof Interrupted ? error : failureOf(error)
    // A wrong argument may stop the reading before the option is reached.
    output(wantsJson() || args.includes('--json')).fail(message)
    return exitCode
  } finally {
    ask.close()
  }
}
