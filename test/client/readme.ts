import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const clientFolder = join(import.meta.dirname, '../../client')

/** The examples of the client's README in their order, as one program. */
export function readmeProgram(replaced: Readonly<Record<string, string>> = {}): string {
  const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8')
  const program = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code).join('\n')
  return Object.entries(replaced).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the README has no ${from}`)
    return text.replaceAll(from, to)
  }, program)
}
