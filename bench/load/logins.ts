import { get } from '../connection.ts'
import { quantile } from '../figures.ts'
import { kind } from '../images-pool.ts'
import { loginRequest, registerPeople } from '../people.ts'
import { startApi } from '../server.ts'
import { atRate } from './arrivals.ts'
import { atMost, under } from './gates.ts'
import { latencies } from './latencies.ts'
import type { LoadRun } from './load-run.ts'
import { onOwnCore } from './own-core.ts'
import { createPool, type Timed } from './pool.ts'
import { grownMb, probe, watchServer } from './samples.ts'

const perSecond = 200
const lookEveryMs = 20
/** What a hash keeps, and what else logins may take. */
const [hashMb, otherMb] = [19, 32]

export const logins: LoadRun = {
  id: 'L05',
  title: `${perSecond} logins a second`,
  async run({ folder, scaled }) {
    const durationMs = scaled(60_000, 10_000)
    const server = await startApi(folder, {}, probe)
    try {
      const people = await registerPeople(server.port, 40)
      const image = get(`/i/${kind}/fox-asleep.png`)
      const pool = createPool(server.port, { maxConnections: 2000 })
      const looks = { health: [] as number[], image: [] as number[] }
      const answers: Timed[] = []
      let [mostRunning, mostWaiting] = [0, 0]
      const lookAt = async (name: keyof typeof looks, request: string, dueAt: number) => {
        const { status, ms } = await pool.send(request, dueAt)
        if (status !== 200) throw new Error(`${name}: ${status}`)
        looks[name].push(ms)
      }
      const countHashes = async (dueAt: number) => {
        const body = (await pool.send(get('/metrics'), dueAt)).reply?.body ?? ''
        const read = (state: string) => Number(new RegExp(`password_hashes{state="${state}"} (\\d+)`).exec(body)?.[1])
        mostRunning = Math.max(mostRunning, read('running'))
        mostWaiting = Math.max(mostWaiting, read('waiting'))
      }
      for (let warm = 0; warm < 20; warm += 1) await lookAt('image', image, performance.now())
      looks.image.length = 0
      const watch = await watchServer(server)
      const every = (ms: number, call: (dueAt: number) => Promise<unknown>) =>
        atRate({ perSecond: 1000 / ms, durationMs, call })
      await onOwnCore(() =>
        Promise.all([
          atRate({
            perSecond,
            durationMs,
            call: async (dueAt, index) => {
              const person = people[index % people.length]
              if (person) answers.push(await pool.send(loginRequest(person), dueAt))
            },
          }),
          every(lookEveryMs, (dueAt) => lookAt('health', get('/health'), dueAt)),
          every(lookEveryMs, (dueAt) => lookAt('image', image, dueAt)),
          every(500, countHashes),
        ]),
      )
      const watched = await watch.stop()
      pool.close()
      const answered = (status: number) => answers.filter((each) => each.status === status).map(({ ms }) => ms)
      const odd = answers.filter(({ status }) => status !== 200 && status !== 503).length
      return {
        watched,
        notes: [
          `${durationMs / 1000} s; ${answered(200).length} logins were taken (${latencies(answered(200))}), ${answered(503).length} were shed with 503 (${latencies(answered(503))})`,
          `At most ${mostWaiting} logins waited for a hash. /health ${latencies(looks.health)}; a cached image ${latencies(looks.image)}`,
        ],
        gates: [
          atMost('hashes at a time', mostRunning, 2),
          atMost('resident memory grows by', grownMb(watched.samples), 2 * hashMb + otherMb, 'MiB'),
          under('/health, p99', quantile(looks.health, 0.99), 100, 'ms'),
          under('GET /i, p99', quantile(looks.image, 0.99), 250, 'ms'),
          atMost('logins answered by neither 200 nor 503', odd, 0),
        ],
      }
    } finally {
      await server.stop()
    }
  },
}
