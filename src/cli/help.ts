import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander'
import type { Screen } from './progress.ts'

/** Of the texts in the source. */
const fullWidth = 120

const help = new Help()

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  optionDescription: (option: Option) => `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
  // Without "[options]", which most have, so that the descriptions have room on a narrow terminal.
  subcommandTerm: (command: Command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
}

const widthWithoutTerminal = 80

/** Of the lists of commands and options. */
export const helpWidth = ({ isTTY, columns }: Screen): number =>
  isTTY && columns ? Math.min(columns, fullWidth) : widthWithoutTerminal

/** Lists, and commands to copy. */
const isSetByHand = (line: string) => line.includes('  ')

/** Wrapped anew for a narrow terminal. */
export function fittedHelp(text: string, screen: Screen): string {
  const width = helpWidth(screen)
  if (!screen.isTTY || width === fullWidth) return text
  const lines: string[] = []
  let last = ''
  for (const line of text.split('\n')) {
    const [word = ''] = line.split(' ', 1)
    const isCutByWidth = word !== '' && !isSetByHand(last) && last.length + 1 + word.length > fullWidth
    if (isCutByWidth) lines.push(`${lines.pop()} ${line}`)
    else lines.push(line)
    last = line
  }
  return lines.map((line) => (isSetByHand(line) ? line : help.boxWrap(line, width))).join('\n')
}
