import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { get, openConnection, post } from './connection.ts'
import { quantile } from './figures.ts'
import { residentMbOf } from './proc.ts'
import { startServer } from './server.ts'

/*
 * node bench/status-load.ts [--minutes 10]: a thousand components, each with a heartbeat every second, published to
 * three targets: one flaps, one hangs, one accepts. Then a start with a long history.
 */

const { values: flags } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const components = 1_000
const sockets = 50
const statuses = ['operational', 'degraded', 'partial', 'outage'] as const
type Mood = 'well' | 'refuses' | 'hangs' | 'resets after taking' | 'busy'
const moods: readonly Mood[] = ['well', 'refuses', 'well', 'hangs', 'well', 'resets after taking', 'well', 'busy']

/** What each page accepted, and how: a number may repeat only after an outcome that the worker cannot know. */
const pages = ['/flapping', '/steady', '/hanging'] as const
const takenBy = new Map(pages.map((path) => [path as string, new Map<string, { status: string; sequence: number }>()]))
let mood: Mood = 'well'
const pushes = new Map<string, number>()
let twice = 0
let backwards = 0
const unknown = new Set<string>()
const page = createServer((request, response) => {
  let text = ''
  request.on('data', (piece) => {
    text += piece
  })
  request.on('end', () => {
    const path = pages.find((each) => request.url?.startsWith(each)) ?? '/steady'
    const taken = takenBy.get(path) as Map<string, { status: string; sequence: number }>
    pushes.set(path, (pushes.get(path) ?? 0) + 1)
    if (path === '/hanging') return
    const { componentId, status, sequence } = JSON.parse(text)
    if (path === '/steady') {
      taken.set(componentId, { status, sequence })
      return void response.writeHead(204).end()
    }
    const key = `${componentId} ${sequence}`
    if (mood === 'hangs') return void unknown.add(key)
    if (mood === 'refuses') return void response.writeHead(500).end()
    if (mood === 'busy') return void response.writeHead(429, { 'Retry-After': '2' }).end()
    const last = taken.get(componentId)
    if (last?.sequence === sequence && !unknown.has(key)) twice += 1
    if (last && sequence < last.sequence) backwards += 1
    taken.set(componentId, { status, sequence })
    if (mood === 'resets after taking') {
      unknown.add(key)
      return void request.socket.resetAndDestroy()
    }
    response.writeHead(204).end()
  })
})
await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
const folder = mkdtempSync(join(tmpdir(), 'menagerie-status-'))
const base = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
const settings = {
  ...{
    STATUS_SERVICE_KIND: 'native',
    STATUS_SERVICE_URL: `${base}/flapping`,
    STATUS_SERVICE_TOKEN: 'a-token-of-the-bench',
  },
  ...{ STATUS_TARGETS: 'steady,hanging' },
  ...{ STATUS_TARGET_STEADY_KIND: 'native', STATUS_TARGET_STEADY_URL: `${base}/steady` },
  ...{ STATUS_TARGET_HANGING_KIND: 'native', STATUS_TARGET_HANGING_URL: `${base}/hanging` },
  DATA_DIR: folder,
  LOG_LEVEL: 'warn',
}
const script = 'src/bin/status-worker.ts'
const start = () => startServer({ script, readyPath: '/livez', portName: 'STATUS_PORT', env: settings, folder })
const worker = await start()
const said = Array.from({ length: components }, () => 'operational')
const took: number[] = []
const memory: number[] = []
let failed = 0
let isOver = false

const drive = async (own: number) => {
  const { send, close } = await openConnection(worker.port)
  while (!isOver) {
    const began = performance.now()
    for (let id = own; id < components; id += sockets) {
      // One in twenty changes at each heartbeat.
      if (Math.random() < 0.05) said[id] = statuses[Math.floor(Math.random() * statuses.length)] as string
      const at = performance.now()
      const { status } = await send(post(`/heartbeat/c${id}`, { status: said[id] }))
      took.push(performance.now() - at)
      if (status !== 200) failed += 1
    }
    await sleep(Math.max(0, 1_000 - (performance.now() - began)))
  }
  close()
}
const drivers = Array.from({ length: sockets }, (_, own) => drive(own))
const minutes = Number(flags.minutes)
for (let second = 0; second < minutes * 60; second++) {
  if (second % 10 === 0) mood = moods[(second / 10) % moods.length] as Mood
  if (second % 30 === 29) memory.push(Math.round(residentMbOf(worker.pid)))
  await sleep(1_000)
}
mood = 'well'
await sleep(8_000)
isOver = true
await Promise.all(drivers)
await sleep(3_000)
const { body } = await (await openConnection(worker.port)).send(get('/health'))
const shown = JSON.parse(body).components as { componentId: string; publishedStatus: string }[]
const lost = shown.filter(({ componentId, publishedStatus }) => {
  const last = said[Number(componentId.slice(1))]
  const told = ['/flapping', '/steady'].map((path) => takenBy.get(path)?.get(componentId)?.status)
  return [publishedStatus, ...told].some((status) => status !== last)
})
await worker.stop()
/** As many rows as weeks would leave, by copying those of the load. */
const history = 60_000
const state = new DatabaseSync(join(folder, 'status.db'))
const again = state.prepare(
  `INSERT INTO status_transitions (component_id, at, from_status, to_status, cause)
   SELECT component_id, at, from_status, to_status, cause FROM status_transitions LIMIT ?`,
)
const count = state.prepare('SELECT count(*) AS transitions FROM status_transitions')
const transitions = () => (count.get() as { transitions: number }).transitions
while (transitions() < history) again.run(history - transitions())
state.close()
const starts: number[] = []
for (let each = 0; each < 5; each++) {
  const worker = await start()
  starts.push(worker.readyMs)
  await worker.stop()
}
page.closeAllConnections()
page.close()
rmSync(folder, { recursive: true, force: true })
console.log(`${took.length} heartbeats in ${minutes} minutes, ${failed} not 200`)
console.log(`pushes: ${[...pushes].map(([path, count]) => `${path} ${count}`).join(', ')}`)
const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => quantile(took, share).toFixed(1))
console.log(`heartbeat: p50 ${p50} ms, p99 ${p99} ms, p99.9 ${p999} ms`)
console.log(`memory every 30 s, MB: ${memory.join(' ')}`)
console.log(`changes lost ${lost.length}; taken twice without need ${twice}; older after newer ${backwards}`)
console.log(`start with ${components} components and ${history} transitions, ms: ${starts.map(Math.round).join(' ')}`)
process.exit()
