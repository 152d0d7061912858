import { post } from './connection.ts'
import { type ContestOptions, compete, contestant, printContest, ratioGate } from './contest.ts'
import type { Gate } from './figures.ts'
import { startServer } from './server.ts'

const components = 1_000

/** Heartbeats of a thousand components, saved within a second, against a server that parses the same JSON. */
export async function benchHeartbeats({ folder, ...rounds }: ContestOptions): Promise<Gate[]> {
  const names = { bare: 'bare node:http that parses the same JSON', own: 'POST /heartbeat/:id' }
  const bare = await startServer({ script: 'bench/bare.ts', readyPath: '/', env: {}, folder })
  const worker = await startServer({
    script: 'src/bin/status-worker.ts',
    readyPath: '/livez',
    portName: 'STATUS_PORT',
    env: { DATA_DIR: folder, HEARTBEAT_TIMEOUT_SECONDS: '86400', LOG_LEVEL: 'info' },
    folder,
  })
  const beat = (_: unknown, id: number) => post(`/heartbeat/c${id}`, { status: 'operational' })
  const load = { requests: Array.from({ length: components }, beat), bytes: null }
  const contestants = [contestant(names.bare, bare, names.bare, load), contestant(names.own, worker, names.bare, load)]
  try {
    await compete(contestants, rounds)
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()))
  }
  printContest(`Heartbeats of ${components} components`, contestants, rounds)
  return [ratioGate(contestants, { promise: names.own, of: names.own, to: names.bare, mustReach: 0.5 })]
}
