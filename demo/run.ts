import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createReporter } from '../src/reporter/reporter.ts'
import { startPrograms } from './programs.ts'
import { demoEnv, password, seedAll, wellComponents } from './seed-all.ts'

/*
 * npm run demo: both programs with 200 users and their history, until Ctrl-C. With --screenshots all, or the start of
 * their names, the stored pictures of what the console shows; with --screenshots guides, those of README and guides.
 */

const say = (text: string) => process.stdout.write(`${text}\n`)
// A second signal, which npm may send, changes nothing.
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
})

const { seed, port, screenshots } = readArguments()
if (screenshots !== undefined) {
  await (await import('./pictures/store.ts')).storePictures(screenshots, say)
  process.exit()
}

const dataDir = mkdtempSync(join(tmpdir(), 'menagerie-demo-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
const members = await seedAll({ dataDir, seed, now: Date.now() })
const programs = await startPrograms({ dataDir, port, env: demoEnv })
const reporter = createReporter({ url: programs.workerUrl })
for (const id of wellComponents) reporter.every(id, 60_000, () => 'operational')

const roles = Map.groupBy(members, ({ role }) => role)
say(`
Console        ${programs.url}/console
Status page    ${programs.url}/status
Reference      ${programs.url}/docs
Status worker  ${programs.workerUrl}

Sign in as     ${[...roles].map(([role, [first]]) => `${first?.username} (${role})`).join(', ')}
Password       ${password}
Seed           ${seed}

Nothing of it can be reached from other machines. Ctrl-C stops it and removes it.`)

await interrupted
reporter.close()
await programs.close()
process.exit()

function readArguments() {
  const options = { seed: { type: 'string' }, port: { type: 'string' }, screenshots: { type: 'string' } } as const
  try {
    const { seed = '1', port = '0', screenshots } = parseArgs({ options }).values
    return { seed: wholeNumber('seed', seed, 999_999_999), port: wholeNumber('port', port, 65_535), screenshots }
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n`)
    process.exit(2)
  }
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Infinity
  if (value <= max) return value
  throw new Error(`--${name}: expected a whole number up to ${max}, got ${JSON.stringify(text)}`)
}
