import { post } from '../connection.ts'
import { type Contestant, type ContestOptions, contestant } from '../contest.ts'
import { type Server, startServer } from '../server.ts'
import { type Comparison, own, print, race } from './comparison.ts'
import { frameworks, startFramework, withServers } from './servers.ts'

const components = 1_000

export async function compareHeartbeats({ folder, ...rounds }: ContestOptions): Promise<Comparison> {
  const beat = (_: unknown, id: number) => post(`/heartbeat/c${id}`, { status: 'operational' })
  const load = { requests: Array.from({ length: components }, beat), bytes: null }
  const rows = await withServers(async (started) => {
    const contestants: Contestant[] = []
    const enter = async (name: string, starting: Promise<Server>) =>
      contestants.push(contestant(name, await started(starting), own, load))
    const worker = {
      script: 'src/bin/status-worker.ts',
      readyPath: '/livez',
      portName: 'STATUS_PORT',
      env: { DATA_DIR: folder, HEARTBEAT_TIMEOUT_SECONDS: '86400' },
      folder,
    }
    await enter(own, startServer(worker))
    for (const name of frameworks) await enter(name, startFramework(name, folder, {}))
    await enter('bare node:http', startServer({ script: 'bench/bare.ts', readyPath: '/', env: {}, folder }))
    return race(contestants, rounds)
  })
  return print({
    id: 'heartbeats',
    title: 'A heartbeat',
    about: `Of ${components.toLocaleString('en')} components in turn. Menagerie saves within a second, the frameworks write a row for each; bare \`node:http\` only parses the JSON.`,
    unit: 'µs of CPU',
    groups: [{ name: '', rows }],
  })
}
