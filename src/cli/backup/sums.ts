import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'

/** In the format of `sha256sum -c`. */
export const sumsName = 'SHA256SUMS'

export const sumLine = (sum: string, name: string) => `${sum}  ${name}\n`

/** Both are in archive order, so neither is held in memory. */
export async function compareSums(ownPath: string, archived: AsyncIterable<Uint8Array>): Promise<void> {
  await using own = await open(ownPath)
  const theirs = linesOf(Readable.from(archived))
  for await (const line of own.readLines({ autoClose: false })) {
    const { value, done } = await theirs.next()
    if (done || value !== line) throw new Failed(`${quoted(line.slice(66))} is damaged: its checksum does not match.`)
  }
  const { value, done } = await theirs.next()
  if (!done) throw new Failed(`The archive was modified: ${quoted(value.slice(66))} is missing.`)
}

const linesOf = (input: Readable) => createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]()
