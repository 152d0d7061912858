import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../../config/config.ts'
import type { Cli } from '../cli-context.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export function completionCommand(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('Print a script that completes these commands in a shell.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addOption(new Option('--for <name>', 'complete this shell function instead of menagerie cli').argParser(readName))
    .addHelpText('after', help)
    .action(async (shell: Shell, options: { for?: string }) => {
      const [{ tableOf }, { scripts }] = await Promise.all([import('./table.ts'), import('./scripts.ts')])
      const { imageKinds: kinds } = readConfig(cli.env)
      const name = options.for ?? 'menagerie'
      await cli.out.write(scripts[shell](name, tableOf(program, options.for === undefined ? '/cli' : '', [...kinds])))
    })
}

const help = `
In ~/.bashrc, or in ~/.zshrc after compinit:  source <(menagerie cli completion bash)
In ~/.config/fish/config.fish:                menagerie cli completion fish | source
Without an installed menagerie, define a function, and pass its name with --for:
  mena() { npm --silent --prefix /path/to/menagerie run cli -- "$@"; }; source <(mena completion bash --for mena)`

function readName(name: string): string {
  if (/^[a-zA-Z][\w-]*$/.test(name)) return name
  throw new InvalidArgumentError('Expected the name of a shell function.')
}
