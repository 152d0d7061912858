import { stripVTControlCharacters } from 'node:util'
import { openBody } from '../http/body-stream.ts'
import type { Call } from '../http/call.ts'
import type { Upload } from '../http/route.ts'
import { string } from '../http/schema.ts'
import { errors } from './errors.ts'
import { maxBodyBytes } from './runs.ts'
import { componentIdPattern } from './statuses.ts'
import { maxTextLength, readable, strictField } from './terms.ts'

const ridSchema = string({
  pattern: componentIdPattern,
  description: 'The name of the run, so that its end is not taken for that of another one that runs at the same time',
  examples: ['2026-06-01T0300'],
})
export const rid = { ...strictField<string>(ridSchema, errors.badRid), isUnanimous: true }

export const runBody: Upload = {
  types: '*/*',
  example: 'text/plain',
  description:
    'Up to 10 kB of output of the run, kept as text with the last 20 runs, and never parsed. Its last line is the `message`, unless the query has one.',
  isRequired: false,
}

const utf8 = new TextDecoder()

/** As text, whatever its type; null if it is empty. What a carriage return overwrote is a line of its own. */
export async function readRunBody(call: Call): Promise<string | null> {
  const body = await openBody(call, maxBodyBytes)
  if (body === null) return null
  const pieces: Buffer[] = []
  for await (const piece of body.chunks) pieces.push(piece)
  const text = stripVTControlCharacters(utf8.decode(Buffer.concat(pieces))).replaceAll(/\r\n?/g, '\n')
  return readable(text) || null
}

/** The last line with text, as a message: why a job failed is what it says last. */
export function lastLine(body: string | null): string | undefined {
  const line = body?.split('\n').findLast((each) => each.trim() !== '')
  return line?.trim().slice(0, maxTextLength).toWellFormed()
}
