import { stayAwake } from './awake.ts'
import { openConnection } from './connection.ts'
import { type Gate, median, printTable } from './figures.ts'
import { cpuMsOf } from './proc.ts'
import { type Server, startServer } from './server.ts'

const mustReach = 0.5
const sockets = 32
const components = 1_000
const body = '{"status":"operational"}'

export interface HeartbeatOptions {
  readonly folder: string
  readonly rounds: number
  readonly roundMs: number
}

const beat = (id: number) =>
  `POST /heartbeat/c${id} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Heartbeats of a thousand components, which are saved within a second, against a server that parses the same JSON. */
export async function benchHeartbeats({ folder, rounds, roundMs }: HeartbeatOptions): Promise<Gate[]> {
  const bare = await startServer({ script: 'bench/bare-json.ts', readyPath: '/', env: {}, folder })
  const worker = await startServer({
    script: 'src/bin/status-worker.ts',
    readyPath: '/livez',
    portName: 'STATUS_PORT',
    env: { DATA_DIR: folder, HEARTBEAT_TIMEOUT_SECONDS: '86400', LOG_LEVEL: 'info' },
    folder,
  })
  const contestants = [
    { name: 'bare node:http, parses the JSON', server: bare, rates: [] as number[] },
    { name: 'POST /heartbeat/:id', server: worker, rates: [] as number[] },
  ]
  try {
    for (const { server } of contestants) await measure(server, 4_000)
    for (let round = 0; round < rounds; round++)
      for (const { server, rates } of contestants) rates.push(await measure(server, roundMs))
  } finally {
    for (const { server } of contestants) await server.stop()
  }
  const [first, second] = contestants.map(({ rates }) => median(rates)) as [number, number]
  const ratio = second / first
  console.log(
    `\nHeartbeats: ${components} components, ${sockets} connections, ${rounds} rounds of ${roundMs} ms in rotation`,
  )
  printTable([
    ['', 'requests per CPU second', 'µs each', 'of bare'],
    ...contestants.map(({ name, rates }) => {
      const rate = median(rates)
      return [name, rate.toFixed(0), (1e6 / rate).toFixed(1), (rate / first).toFixed(2)]
    }),
  ])
  return [
    {
      promise: `heartbeats reach ${mustReach.toFixed(2)} of bare node:http that parses the same JSON`,
      figure: ratio.toFixed(2),
      held: ratio >= mustReach,
    },
  ]
}

async function measure({ port, pid }: Server, maxMs: number): Promise<number> {
  const connections = await Promise.all(Array.from({ length: sockets }, () => openConnection(port)))
  const requests = Array.from({ length: components }, (_, id) => beat(id))
  const awake = stayAwake()
  const before = cpuMsOf(pid)
  const startedAt = performance.now()
  let sent = 0
  const drive = async ({ send }: (typeof connections)[number]) => {
    while (performance.now() - startedAt < maxMs) {
      const { status } = await send(requests[sent++ % components] as string)
      if (status !== 200) throw new Error(`a heartbeat was answered ${status}`)
    }
  }
  try {
    await Promise.all(connections.map(drive))
  } finally {
    awake()
    for (const connection of connections) connection.close()
  }
  return sent / ((cpuMsOf(pid) - before) / 1000)
}
