import { CommanderError } from 'commander'
import { Refused } from '../http/refusal.ts'
import { describeFailure } from '../lib/failure.ts'

/** Exit code 1. The message says what was wrong, with which value, and what to do. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** Exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

export function failureOf(error: unknown): { readonly exitCode: 1 | 2; readonly message: string } {
  if (error instanceof CommanderError) return { exitCode: 2, message: usageMessage(error) }
  if (error instanceof Refused) return { exitCode: 1, message: sentence(error.message) }
  if (error instanceof WrongUsage) return { exitCode: 2, message: error.message }
  const stack = () => `Unexpected failure: ${error instanceof Error ? error.stack : String(error)}`
  return { exitCode: 1, message: describeFailure(error) ?? stack() }
}

/** Strips surplus arguments and values of unknown options, which may be passwords, from commander's messages. */
function usageMessage({ code, message }: CommanderError): string {
  const said = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  if (code === 'commander.excessArguments') {
    const hint = / '(create|set-password)'/.test(said)
      ? ' A password is never an argument: it is prompted for, or read from standard input.'
      : ''
    return `${sentence(said.replace(/: .*$/, ''))} See --help.${hint}`
  }
  if (code === 'commander.unknownOption') {
    return `${sentence(said.replace(/=[^']*(?=')/, ''))} See --help; put a username that begins with a hyphen after --.`
  }
  return `${sentence(said)} See --help.`
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)?]$/.test(text) ? '' : '.'}`
