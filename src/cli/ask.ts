import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { Failed, WrongUsage } from './failure.ts'

export type MaybeTerminal<S> = S & { readonly isTTY?: boolean }

const nothingChanged = 'nothing was changed.'

/** Prompts on a terminal. Writes to standard error, to keep them out of the output. */
export function createAsk(stdin: MaybeTerminal<Readable>, stderr: MaybeTerminal<Writable>) {
  const isPossible = stdin.isTTY === true && stderr.isTTY === true
  let opened: ReturnType<typeof createTerminal> | null = null
  const terminal = () => {
    opened ??= createTerminal(stdin, stderr)
    return opened
  }
  const answerTo = async (answer: Promise<string | null>) => {
    const text = await answer
    if (text === null) throw new Failed(`Cancelled; ${nothingChanged}`)
    return text
  }
  return {
    isPossible,
    /** Throws WrongUsage if there is nobody to confirm anything. */
    checkPossible(): void {
      if (!isPossible) throw new WrongUsage('No terminal for the confirmation; pass --yes to skip it.')
    },
    /** Throws Failed unless the answer is yes. */
    async confirm(consequence: string): Promise<void> {
      stderr.write(`${consequence}\n`)
      const answer = await answerTo(terminal().read('Continue? [y/N] '))
      if (!/^y(es)?$/i.test(answer.trim())) throw new Failed(`Not confirmed; ${nothingChanged}`)
    },
    /** On a terminal, asks twice without echo; else reads one line of stdin. `check` throws for an invalid password. */
    async newPassword(whose: string, check: (password: string) => void): Promise<string> {
      if (!isPossible && stdin.isTTY)
        throw new WrongUsage('The password prompt goes to standard error: do not redirect it.')
      const password = isPossible
        ? await answerTo(terminal().readHidden(`New password for ${whose}: `))
        : await oneLine(stdin)
      check(password)
      if (isPossible && (await answerTo(terminal().readHidden('Repeat the password: '))) !== password)
        throw new Failed(`The passwords do not match; ${nothingChanged}`)
      return password
    },
    close: () => opened?.close(),
  }
}

export type Ask = ReturnType<typeof createAsk>

const newline = 0x0a
const maxBytes = 65_536

/** Reads up to the first newline or the end. More than one line is refused rather than truncated. */
async function oneLine(stdin: Readable): Promise<string> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of stdin) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)])
    if (bytes.includes(newline) || bytes.length > maxBytes) break
  }
  const line = textOf(bytes).replace(/\r?\n$/, '')
  if (line === '') throw new Failed('No password on standard input; pass it there as one line.')
  if (line.includes('\n')) throw new Failed('More than one line on standard input; pass the password as one line.')
  return line
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failed('The password on standard input is not valid UTF-8.')
  }
}

/** Lines are null after Ctrl-C or Ctrl-D or if the terminal has been closed. */
function createTerminal(stdin: Readable, screen: Writable) {
  // Not even type-ahead for a hidden prompt may be echoed.
  let shown = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (shown) screen.write(chunk)
      done()
    },
  })
  const readline = createInterface({ input: stdin, output: echo, terminal: true, historySize: 0 })
  // One reader for all prompts, so that pasted lines answer them in turn.
  const lines = readline[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    return done ? null : (value as string)
  }
  return {
    async read(prompt: string): Promise<string | null> {
      shown = true
      readline.setPrompt(prompt)
      readline.prompt()
      const line = await next()
      shown = false
      if (line === null) screen.write('\n')
      return line
    },
    async readHidden(prompt: string): Promise<string | null> {
      screen.write(prompt)
      const line = await next()
      screen.write('\n')
      return line
    },
    close: () => readline.close(),
  }
}
