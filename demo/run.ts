import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startApi } from '../src/api/api.ts'
import { readConfig } from '../src/config/config.ts'
import { createReporter } from '../src/reporter/reporter.ts'
import { startWorker } from '../src/worker/worker.ts'
import { seedAccounts } from './accounts.ts'
import { createChance } from './chance.ts'
import { extraKind, seedImages } from './images.ts'
import { publicComponents, seedStatus, wellComponents } from './status.ts'

/* npm run demo: both programs with 200 users and their history, until Ctrl-C; with --screenshots, the pictures of the guides. */

const password = 'menagerie demo'
const host = '127.0.0.1'
const say = (text: string) => process.stdout.write(`${text}\n`)
// A second signal, which npm may send, changes nothing.
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
})

const { seed, port, screenshots } = readArguments()
const dataDir = mkdtempSync(join(tmpdir(), 'menagerie-demo-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))

const terms = { dataDir, password, chance: createChance(seed), now: Date.now() }
const images = seedImages(dataDir, terms)
const members = await seedAccounts({ ...terms, images })
await seedStatus(terms)

// It has whatever the worker pushes.
const page = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()))
await once(page.listen(0, host), 'listening')
// Settings of this machine, and its .env, are not read.
const env = {
  DATA_DIR: dataDir,
  HOST: host,
  STATUS_HOST: host,
  LOG_LEVEL: 'error',
  SAMPLE_IMAGES: 'false',
  IMAGE_KINDS_EXTRA: extraKind,
  STATUS_PAGE_COMPONENTS: publicComponents,
  STATUS_SERVICE_KIND: 'webhook',
  STATUS_SERVICE_TOKEN: password,
  STATUS_SERVICE_URL: `http://${host}:${(page.address() as AddressInfo).port}/`,
}
const worker = await startWorker(readConfig(env), { port: 0 })
const workerUrl = `http://${host}:${worker.listening.port}`
// The reference shows the worker at STATUS_PORT.
const ofWorker = { STATUS_WORKER_URL: workerUrl, STATUS_PORT: String(worker.listening.port) }
const api = await startApi(readConfig({ ...env, ...ofWorker }), { port })
const reporter = createReporter({ url: workerUrl })
for (const id of wellComponents) reporter.every(id, 60_000, () => 'operational')
await api.checked

const url = `http://${host}:${api.listening.port}`
const roles = Map.groupBy(members, ({ role }) => role)
say(`
Console        ${url}/console
Status page    ${url}/status
Reference      ${url}/docs
Status worker  ${workerUrl}

Sign in as     ${[...roles].map(([role, [first]]) => `${first?.username} (${role})`).join(', ')}
Password       ${password}
Seed           ${seed}

Nothing of it can be reached from other machines. Ctrl-C stops it and removes it.`)

if (screenshots) await (await import('./screenshots.ts')).takeScreenshots(url, { username: 'keeper', password })
else await interrupted
reporter.close()
await api.close()
await worker.close()
process.exit()

function readArguments() {
  const options = { seed: { type: 'string' }, port: { type: 'string' }, screenshots: { type: 'boolean' } } as const
  try {
    const { seed = '1', port = '0', screenshots = false } = parseArgs({ options }).values
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
