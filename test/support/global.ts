import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiRoutes } from '../../src/api/routes.ts'
import { errorsOf } from '../../src/http/route.ts'
import { temporaryFolder } from './folder.ts'
import { nameOf } from './seen.ts'
import { processesOf, watchOver } from './watch.ts'

let folder: ReturnType<typeof temporaryFolder>
let watch: ReturnType<typeof watchOver>

const fail = (text: string) => {
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

/** All that the suite puts down is in one folder, and what it started knows that folder: nothing of it is left. */
export function globalSetup(): void {
  folder = temporaryFolder()
  const [states, temporary] = ['states', 'tmp'].map((name) => join(folder.path, name)) as [string, string]
  for (const path of [states, temporary]) mkdirSync(path)
  process.env.TMPDIR = temporary
  process.env.MENAGERIE_SEEN_FILE = join(folder.path, 'seen')
  writeFileSync(process.env.MENAGERIE_SEEN_FILE, '')
  watch = watchOver(states, fail)
}

export function globalTeardown(): void {
  watch.stop()
  const seen = new Set(readFileSync(process.env.MENAGERIE_SEEN_FILE ?? '', 'utf8').split('\n'))
  for (const { pid, command } of processesOf(folder.path)) {
    fail(`A test has left a process behind: ${command}`)
    process.kill(pid, 'SIGKILL')
  }
  const left = readdirSync(join(folder.path, 'tmp'))
  if (left.length > 0) fail(`Tests have left files behind: ${left.join(' ')}`)
  folder.remove()
  failForUnseen(seen)
}

/** An error that a route declares, and no test has got, is not tested. Only after the whole suite. */
function failForUnseen(seen: ReadonlySet<string>): void {
  const declared = apiRoutes.flatMap((route) => errorsOf(route).map((error) => nameOf(route, error)))
  const missing = [...new Set(declared)].filter((name) => !seen.has(name))
  if (missing.length > 0) fail(`No test got these declared errors:\n${missing.map((name) => `  ${name}`).join('\n')}`)
}
