import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'

/** Null: Ctrl-C, Ctrl-D, or the terminal has been closed. */
export interface Terminal {
  read(prompt: string): Promise<string | null>
  readHidden(prompt: string): Promise<string | null>
  close(): void
}

export function createTerminal(stdin: Readable, screen: Writable): Terminal {
  // Type-ahead for a hidden prompt must not be echoed either.
  let shown = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (shown) screen.write(chunk)
      done()
    },
  })
  const readline = createInterface({ input: stdin, output: echo, terminal: true, historySize: 0 })
  // One reader for all prompts, so that pasted lines answer one after the other.
  const lines = readline[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    return done ? null : (value as string)
  }
  return {
    async read(prompt) {
      shown = true
      readline.setPrompt(prompt)
      readline.prompt()
      const line = await next()
      shown = false
      if (line === null) screen.write('\n')
      return line
    },
    async readHidden(prompt) {
      screen.write(prompt)
      const line = await next()
      screen.write('\n')
      return line
    },
    close: () => readline.close(),
  }
}
