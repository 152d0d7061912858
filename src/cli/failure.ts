import { CommanderError } from 'commander'

/** It could not be done: exit code 1. The message says what was wrong, with which value, and what to do. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** It was asked for in a wrong way: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

export interface Failure {
  readonly exitCode: 1 | 2
  readonly message: string
}

const ours = ['Failed', 'BadSetting', 'BadDatabase']

export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return { exitCode: 2, message: usageMessage(error) }
  if (!(error instanceof Error)) return { exitCode: 1, message: `Unexpected failure: ${String(error)}` }
  if (error.name === 'WrongUsage') return { exitCode: 2, message: error.message }
  if (ours.includes(error.name)) return { exitCode: 1, message: error.message }
  if (error.name === 'Unavailable') return { exitCode: 1, message: unavailable(error) }
  // From the file system: the message names the file and what is wrong with it.
  if ('syscall' in error)
    return { exitCode: 1, message: `${error.message}. Check DATA_DIR, and whose files these are.` }
  return { exitCode: 1, message: `Unexpected failure: ${error.stack}` }
}

/** Commander repeats surplus arguments and the value of an unknown option; either may be a password. */
function usageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing; --help shows them.'
  const said = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  if (code === 'commander.excessArguments') {
    return `${sentence(said.replace(/: .*$/, ''))} A password is never an argument: it is asked for, or read from standard input.`
  }
  if (code === 'commander.unknownOption') {
    return `${sentence(said.replace(/=[^']*(?=')/, ''))} --help shows what there is; a username that begins with a hyphen stands after --.`
  }
  return `${sentence(said)} --help shows how it is used.`
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)?]$/.test(text) ? '' : '.'}`

function unavailable({ message, cause }: Error): string {
  const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string }
  const why = reason || code || 'no reason given'
  return `The ${message} (${why}). Check that it runs and that DATABASE_URL, or DATA_DIR, names the one that is meant.`
}
