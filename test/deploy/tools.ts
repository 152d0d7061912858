import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isFullSize } from '../support/size.ts'

export const root = join(import.meta.dirname, '../..')
export const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** False, or why a test with it is skipped; in CI it is never. */
export const missing = (tool: string) =>
  !(process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, tool))) &&
  !process.env.CI &&
  `needs ${tool}`

/** Every document of a YAML text, read by the parser that comes with docker-compose. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever is there
export const parseYaml = (text: string): any[] =>
  JSON.parse(
    execFileSync('python3', ['-c', 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))'], {
      input: text,
      encoding: 'utf8',
    }),
  )

/** Tools that take seconds. */
export const missingOrSlow = (tool: string) => missing(tool) || (!isFullSize && 'only in npm run test:all')
