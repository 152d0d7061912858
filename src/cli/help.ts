import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander'
import type { Screen } from './progress.ts'

const help = new Help()

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  // A narrow column is easier to read than lines that the terminal breaks.
  minWidthToWrap: 16,
  optionDescription: (option: Option) => `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
  // Without "[options]", which most have, so that the descriptions have room.
  subcommandTerm: (command: Command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
}

/** commander's own takes one name: of `help status mute` it would print the help of `status`. */
export function helpCommand(program: Command): void {
  program
    .command('help')
    .argument('[command...]', 'such as: status mute')
    .description('display help for command')
    .action((names: readonly string[]) => {
      let found = program
      for (const name of names) {
        if (found.commands.length === 0) break
        const next = found.commands.find((each) => each.name() === name)
        if (!next) return program.error(`unknown command '${name}'`, { code: 'commander.unknownCommand' })
        found = next
      }
      found.help()
    })
}

const maxWidth = 120
const widthWithoutTerminal = 80

/** The width at which lists of commands and options are wrapped. */
export const helpWidth = ({ isTTY, columns }: Screen): number =>
  isTTY && columns ? Math.min(columns, maxWidth) : widthWithoutTerminal

/** A list, or a command to copy. */
const isLaidOut = (line: string) => line.includes('  ')

/** For a terminal: the lines of each paragraph, which have the width of the source, are wrapped anew. */
export function fittedHelp(text: string, screen: Screen): string {
  if (!screen.isTTY) return text
  const lines: string[] = []
  let isParagraph = false
  for (const line of text.split('\n')) {
    const isText = line !== '' && !isLaidOut(line)
    if (isText && isParagraph) lines.push(`${lines.pop()} ${line}`)
    else lines.push(line)
    isParagraph = isText
  }
  const width = helpWidth(screen)
  return lines.map((line) => (isLaidOut(line) ? line : help.boxWrap(line, width))).join('\n')
}
