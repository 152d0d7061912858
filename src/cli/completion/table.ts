import type { Command, Option } from 'commander'

export interface Word {
  readonly word: string
  readonly help: string
}

export interface OptionWord extends Word {
  /** Null if it takes no value. */
  readonly values: readonly string[] | null
}

/** What can follow at one point of a command line. */
export interface Place {
  /** The commands so far, such as `/user/ban`. */
  readonly path: string
  readonly words: readonly Word[]
  readonly options: readonly OptionWord[]
  readonly takesFiles: boolean
}

/** What the command `menagerie` accepts. */
const installedWords: readonly Word[] = [
  { word: 'start', help: 'run the API and the status worker' },
  { word: 'api', help: 'run the API only' },
  { word: 'worker', help: 'run the status worker only' },
  { word: 'cli', help: 'administer the service' },
]

const fileArguments = ['file', 'folder', 'archive']

/** Every place, derived from the program's command definitions. `prefix`: the path of its first command. */
export function tableOf(program: Command, prefix: '' | '/cli', kinds: readonly string[]): Place[] {
  const global = [
    ...program.options.map((each) => optionOf(each, kinds)),
    { word: '--help', help: 'display help', values: null },
  ]
  const placesOf = (command: Command, path: string): Place[] => {
    const places = command.commands.flatMap((each) => placesOf(each, `${path}/${each.name()}`))
    const own = command === program ? [] : command.options.map((each) => optionOf(each, kinds))
    return [placeOf(command, path, [...own, ...global]), ...places]
  }
  const nothing = { words: [], options: [], takesFiles: false }
  const installed = [
    { ...nothing, path: '', words: installedWords },
    ...installedWords.flatMap(({ word }) => (word === 'cli' ? [] : { ...nothing, path: `/${word}` })),
  ]
  return [...(prefix === '' ? [] : installed), ...placesOf(program, prefix)]
}

function placeOf(command: Command, path: string, options: readonly OptionWord[]): Place {
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  return {
    path,
    words: [
      ...command.commands.map((each) => ({ word: each.name(), help: sentence(each.description()) })),
      ...values.map((word) => ({ word, help: '' })),
    ],
    options,
    takesFiles: command.registeredArguments.some((argument) => fileArguments.includes(argument.name())),
  }
}

const optionOf = (
  { long, description, required, optional, argChoices = [] }: Option,
  kinds: readonly string[],
): OptionWord => ({
  word: long ?? '',
  help: sentence(description),
  // Kinds are a setting, so they are not among the declared choices.
  values: required || optional ? (long === '--kind' ? kinds : argChoices) : null,
})

/** The first sentence, on one line. */
const sentence = (text: string) => text.replace(/\s+/g, ' ').replace(/\.( .*)?$/, '')
