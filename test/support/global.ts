import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describedRoutes } from '../../src/api.ts'
import { readConfig } from '../../src/config.ts'
import { errorsOf } from '../../src/http/route.ts'
import { temporaryFolder } from './folder.ts'
import { nameOf } from './seen.ts'

let folder: ReturnType<typeof temporaryFolder>

export function globalSetup(): void {
  folder = temporaryFolder()
  process.env.MENAGERIE_SEEN_FILE = join(folder.path, 'seen')
  writeFileSync(process.env.MENAGERIE_SEEN_FILE, '')
}

/** An error that a route declares, and no test has got, is not tested. Only after the whole suite. */
export function globalTeardown(): void {
  const seen = new Set(readFileSync(process.env.MENAGERIE_SEEN_FILE ?? '', 'utf8').split('\n'))
  folder.remove()
  const declared = describedRoutes(readConfig({})).flatMap((route) =>
    errorsOf(route).map((error) => nameOf(route, error)),
  )
  const missing = [...new Set(declared)].filter((name) => !seen.has(name))
  if (missing.length === 0) return
  process.stderr.write(`No test got these declared errors:\n${missing.map((name) => `  ${name}\n`).join('')}`)
  process.exitCode = 1
}
