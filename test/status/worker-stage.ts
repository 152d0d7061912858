import { readConfig } from '../../src/config/config.ts'
import type { Overrides } from '../../src/http/running.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs } from '../../src/process/logger.ts'
import { startWorker } from '../../src/worker/worker.ts'
import { atEnd } from '../support/at-end.ts'
import { rememberRefusal } from '../support/seen.ts'
import { type Reply, send } from '../support/send.ts'
import { type Store, stores } from '../support/stores.ts'

export type Place = Awaited<ReturnType<Store['make']>>

export interface TestWorker {
  readonly port: number
  readonly url: string
  /** All log lines so far, parsed. */
  logged(): Record<string, unknown>[]
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  beat(id: string, status?: string): Promise<Reply>
  component(id: string): Promise<Reply['body']>
  close(): Promise<void>
}

interface WorkerSpec {
  readonly env?: Record<string, string>
  readonly overrides?: Overrides
  /** Created and dropped by the test, for a second start on the same state. */
  readonly place?: Place
}

/** The real worker with its own state on a free port. */
export async function openWorker({ env = {}, overrides = {}, place }: WorkerSpec = {}): Promise<TestWorker> {
  const here = place ?? (await (stores[0] as Store).make())
  const lines: string[] = []
  const clock = overrides.clock ?? systemClock
  const logs = createLogs('debug', clock, { write: (line) => lines.push(line), flush() {} })
  const config = readConfig({ ...here.env, ...env })
  const running = await startWorker(config, { logs, strict: true, port: 0, onRefusal: rememberRefusal, ...overrides })
  const { port } = running.listening
  const url = `http://127.0.0.1:${port}`

  const ask: TestWorker['ask'] = (method, path, body, headers = {}) => send(method, url + path, { headers, body })

  return {
    port,
    url,
    logged: () => lines.map((line) => JSON.parse(line)),
    ask,
    beat: (id, status = 'operational') => ask('POST', `/heartbeat/${id}`, { status }),
    component: async (id) => (await ask('GET', `/health/${id}`)).body,
    close: atEnd(async () => {
      await running.close(500)
      if (!place) await here.drop()
    }),
  }
}

export { until } from '../support/until.ts'
