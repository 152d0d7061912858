import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withDatabase } from './database.ts'
import { printTable } from './figures.ts'
import { type Server, startServer } from './server.ts'

/*
 * node bench/alerts.ts (two minutes): how soon alerts get through a channel that takes 5 messages in 2 s, through a
 * fault of 20 s, and across kills; and when a component that fell silent is found by a worker that is restarted often.
 * With TEST_DATABASE_URL, each worker keeps its state in a database of its own on that server.
 */

process.setMaxListeners(50)
const root = mkdtempSync(join(tmpdir(), 'menagerie-alerts-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

interface Message {
  readonly at: number
  readonly text: string
}

type Mood = 'well' | 'fails' | 'hangs' | 'resets'

/** A server with the rate limit of a chat: 429 with Retry-After beyond 5 messages in 2 s. */
async function openChannel({ isLimited = true } = {}) {
  const messages: Message[] = []
  const seen = { refused: 0, early: 0, mood: 'well' as Mood }
  let [windowEnd, left, retryAt] = [0, 0, 0]
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      const at = performance.now()
      if (seen.mood === 'hangs') return
      if (seen.mood === 'resets') return void response.socket?.resetAndDestroy()
      if (seen.mood === 'fails') return void response.writeHead(500).end()
      if (at >= windowEnd) [windowEnd, left] = [at + 2_000, 5]
      if (isLimited && left === 0) {
        seen.refused += 1
        if (at < retryAt) seen.early += 1
        const seconds = Math.ceil((windowEnd - at) / 1000)
        retryAt = at + seconds * 1000
        return void response.writeHead(429, { 'Retry-After': String(seconds) }).end('{"retry_after":1}')
      }
      left -= 1
      messages.push({ at, text })
      response.writeHead(204).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { messages, seen, url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() }
}

type Env = Record<string, string>

const discordAt = (url: string): Env => ({
  STATUS_TARGETS: 'chat',
  STATUS_TARGET_CHAT_KIND: 'discord',
  STATUS_TARGET_CHAT_URL: `${url}/api/webhooks/1/token-of-the-channel`,
})
const nativeAt = (url: string): Env => ({ STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: url })

let workers = 0
async function openWorker(env: Env) {
  const dropped = Promise.withResolvers<void>()
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const database = withDatabase(process.env.TEST_DATABASE_URL, async (found) => {
    resolve(found)
    await dropped.promise
  })
  const url = await promise
  const folder = join(root, String(++workers))
  mkdirSync(folder)
  const start = (): Promise<Server> =>
    startServer({
      script: 'src/bin/status-worker.ts',
      readyPath: '/livez',
      portName: 'STATUS_PORT',
      env: { DATA_DIR: folder, STATUS_CHECK_INTERVAL_SECONDS: '1', ...(url && { STATUS_DATABASE_URL: url }), ...env },
      folder,
    })
  let server = await start()
  const ask = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    })
  return {
    ask,
    async beat(id: string, status: string, more: object = {}) {
      const { ok } = await ask('POST', `/heartbeat/${id}`, { status, ...more })
      if (!ok) throw new Error(`a heartbeat of ${id} was refused`)
    },
    async killAndStart(awayMs = 0) {
      process.kill(server.pid, 'SIGKILL')
      await sleep(awayMs)
      server = await start()
    },
    async stop() {
      await server.stop()
      dropped.resolve()
      await database
    },
  }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `component-${index}`)
const daily = { expectWithinSeconds: 93_600 }

async function until(isSo: () => boolean, maxMs: number): Promise<void> {
  for (const end = performance.now() + maxMs; !isSo() && performance.now() < end; ) await sleep(50)
}

/** How many components the messages name or count. */
function toldIn(messages: readonly Message[]): number {
  const countIn = (text: string) =>
    [...text.matchAll(/\[DOWN\] (\d+) components?\b/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  return messages.reduce((sum, { text }) => sum + (countIn(text) || Number(/DOWN\]|"outage"/.test(text))), 0)
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
type Row = readonly [what: string, told: string, last: string, requests: string]

/** A number of components report an outage; `meanwhile` may disturb the worker. */
async function reported(
  what: string,
  env: (url: string) => Env,
  count: number,
  meanwhile = async (_: Awaited<ReturnType<typeof openWorker>>) => {},
): Promise<Row> {
  const channel = await openChannel()
  const worker = await openWorker(env(channel.url))
  const ids = names(count)
  const start = performance.now()
  for (const id of ids) await worker.beat(id, 'outage', daily)
  await meanwhile(worker)
  const distinct = () => new Set(channel.messages.flatMap(({ text }) => text.match(/component-\d+/g) ?? [])).size
  const isGrouped = () => channel.messages.some(({ text }) => text.includes('components'))
  await until(() => (isGrouped() ? toldIn(channel.messages) : distinct()) >= count, 150_000)
  const last = (channel.messages.at(-1)?.at ?? Number.NaN) - start
  await sleep(1_000)
  await worker.stop()
  channel.close()
  const told = isGrouped() ? toldIn(channel.messages) : distinct()
  const { refused, early } = channel.seen
  return [
    what,
    `${told} of ${count}`,
    seconds(last),
    `${channel.messages.length} messages, ${refused} refused (429), ${early} of them before Retry-After`,
  ]
}

async function silent(count: number): Promise<Row> {
  const channel = await openChannel()
  const worker = await openWorker({ ...discordAt(channel.url), HEARTBEAT_TIMEOUT_SECONDS: '30' })
  const start = performance.now()
  for (const id of names(count)) {
    await worker.beat(id, 'operational')
    await sleep(20)
  }
  const lastDeadline = performance.now() + 30_000
  await until(() => toldIn(channel.messages) >= count, 150_000)
  const last = channel.messages.at(-1)?.at ?? Number.NaN
  await worker.stop()
  channel.close()
  const spread = seconds(lastDeadline - 30_000 - start)
  return [
    `${count} components silent, deadlines within ${spread}`,
    `${toldIn(channel.messages)} of ${count}`,
    `${seconds(last - lastDeadline)} after the last deadline`,
    `${channel.messages.length} messages`,
  ]
}

/** Ten nightly jobs report their failure, once, during a fault of 20 s. */
async function fault(mood: Mood, env: (url: string) => Env, what: string): Promise<Row> {
  const channel = await openChannel({ isLimited: false })
  const worker = await openWorker(env(channel.url))
  const ids = names(10)
  channel.seen.mood = mood
  const end = performance.now() + 20_000
  for (const id of ids) {
    await worker.beat(id, 'outage', daily)
    await sleep(1_900)
  }
  await sleep(end - performance.now())
  channel.seen.mood = 'well'
  const named = () => new Set(channel.messages.flatMap(({ text }) => text.match(/component-\d+/g) ?? [])).size
  await until(() => named() === ids.length, 60_000)
  const last = (channel.messages.at(-1)?.at ?? Number.NaN) - end
  await worker.stop()
  channel.close()
  const requests = `${channel.messages.length} messages`
  return [`fault of 20 s, ${what}`, `${named()} of 10`, `${seconds(last)} after its end`, requests]
}

/** A job that is due every 40 s dies; the worker is killed and started every 10 s. */
async function restarts(): Promise<Row> {
  const channel = await openChannel()
  const worker = await openWorker({ ...discordAt(channel.url), STATUS_START_GRACE_SECONDS: '5' })
  await worker.beat('backup', 'operational', { expectWithinSeconds: 40 })
  const start = performance.now()
  let kills = 0
  const told = () => channel.messages.length > 0
  while (!told() && performance.now() - start < 120_000) {
    await until(told, 10_000)
    if (!told()) await worker.killAndStart()
    if (!told()) kills += 1
  }
  const last = (channel.messages.at(-1)?.at ?? Number.NaN) - start
  await worker.stop()
  channel.close()
  return [
    `job due every 40 s, worker killed every 10 s (${kills} times)`,
    told() ? '1 of 1' : '0 of 1',
    `${seconds(last)} after its last heartbeat`,
    `${channel.messages.length} messages`,
  ]
}

const ungrouped = (url: string) => ({ ...discordAt(url), STATUS_GROUP_SECONDS: '0' })
const killed = (worker: Awaited<ReturnType<typeof openWorker>>) => sleep(15_000).then(() => worker.killAndStart(1_000))
const rows = await Promise.all([
  reported('200 alerts, grouped', discordAt, 200),
  reported('200 alerts, each by itself', ungrouped, 200),
  reported('200 alerts, each by itself, kill -9 after 15 s', ungrouped, 200, killed),
  reported('200 changes to a native service', nativeAt, 200),
  silent(1_000),
  fault('fails', discordAt, 'a chat that responds with 500'),
  fault('hangs', discordAt, 'a chat that does not respond'),
  fault('resets', nativeAt, 'a native service that resets'),
  restarts(),
])
printTable([['', 'told', 'last one', ''], ...rows])
process.exit()
