import type { Readable, Writable } from 'node:stream'
import { Failed, WrongUsage } from './failure.ts'
import { createTerminal, type Terminal } from './terminal.ts'

export type MaybeTerminal<S> = S & { readonly isTTY?: boolean }

/** Questions to a person on a terminal; questions go to standard error, so that the answer alone is on standard output. */
export interface Ask {
  readonly isPossible: boolean
  /** Throws Failed on anything but a yes. */
  confirm(consequence: string): Promise<void>
  /** Hidden and twice on a terminal; otherwise one line of standard input. `check` throws on a password that may not be. */
  newPassword(whose: string, check: (password: string) => void): Promise<string>
  close(): void
}

const nothingChanged = 'nothing was changed.'

export function createAsk(stdin: MaybeTerminal<Readable>, stderr: MaybeTerminal<Writable>): Ask {
  const isPossible = stdin.isTTY === true && stderr.isTTY === true
  let opened: Terminal | null = null
  const terminal = () => {
    opened ??= createTerminal(stdin, stderr)
    return opened
  }
  const answerTo = async (answer: Promise<string | null>) => {
    const text = await answer
    if (text === null) throw new Failed(`Broken off; ${nothingChanged}`)
    return text
  }
  return {
    isPossible,
    async confirm(consequence) {
      stderr.write(`${consequence}\n`)
      const answer = await answerTo(terminal().read('Go on? [y/N] '))
      if (!/^y(es)?$/i.test(answer.trim())) throw new Failed(`Not confirmed; ${nothingChanged}`)
    },
    async newPassword(whose, check) {
      if (!isPossible && stdin.isTTY)
        throw new WrongUsage('A password is asked for on standard error: do not redirect it.')
      const password = isPossible
        ? await answerTo(terminal().readHidden(`New password for ${whose}: `))
        : await oneLine(stdin)
      check(password)
      if (isPossible && (await answerTo(terminal().readHidden('The same again: '))) !== password)
        throw new Failed(`The two passwords differ; ${nothingChanged}`)
      return password
    },
    close: () => opened?.close(),
  }
}

const newline = 0x0a
const mostBytes = 65_536

/** Up to the first newline, or to the end. More than one line is refused: a password would be cut without a word. */
async function oneLine(stdin: Readable): Promise<string> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of stdin) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (bytes.includes(newline) || bytes.length > mostBytes) break
  }
  const line = textOf(bytes).replace(/\r?\n$/, '')
  if (line === '') throw new Failed('There is no password on standard input; give it there as one line.')
  if (line.includes('\n'))
    throw new Failed('There is more than one line on standard input; give the password as one line.')
  return line
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failed('The password on standard input is not UTF-8; give it in that encoding.')
  }
}
