import { type ApiOverrides, startApi } from '../../src/api/api.ts'
import { readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs } from '../../src/process/logger.ts'
import { atEnd } from './at-end.ts'
import { testHasher } from './hasher.ts'
import { highLimits } from './limits.ts'
import { patientTimes } from './redis.ts'
import { rememberRefusal } from './seen.ts'
import { type Reply, type Sent, send } from './send.ts'
import { patientPool, type Store, stores } from './stores.ts'

export interface Person {
  readonly id: string
  readonly username: string
  readonly password: string
  /** As in the reply: begins with `Bearer `. */
  readonly accessToken: string
}

export type { Reply } from './send.ts'

export interface RequestOptions extends Sent {
  readonly token?: string | undefined
}

export interface TestService {
  readonly url: string
  readonly port: number
  readonly env: Record<string, string>
  readonly checked: Promise<void> | undefined
  /** As the start logs it. */
  readonly advice: string
  /** Every line logged so far, parsed. */
  logged(): Record<string, unknown>[]
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  register(username: string, password?: string): Promise<Person>
  login(username: string, password?: string): Promise<Reply>
  close(): Promise<void>
}

export interface ServiceSpec {
  readonly store?: Store
  readonly env?: Record<string, string>
  readonly overrides?: ApiOverrides
  /** Whether to wait until each part has been checked and /ready is no longer starting; true by default. */
  readonly isAwaited?: boolean
  /** A store made by the test, for use by two services or across a restart. The test drops it. */
  readonly place?: Awaited<ReturnType<Store['make']>>
}

export const password = 'correct horse battery'

/** The real service on its own store and a free port, with every reply checked against its route. */
export async function startService(spec: ServiceSpec = {}): Promise<TestService> {
  const place = spec.place ?? (await (spec.store ?? (stores[0] as Store)).make())
  const env: Record<string, string> = {
    HOST: '127.0.0.1',
    JWT_SECRET: 'a secret for tests that is long enough',
    SAMPLE_IMAGES: 'false',
    ...highLimits,
    ...place.env,
    ...spec.env,
  }
  const lines: string[] = []
  const clock = spec.overrides?.clock ?? systemClock
  const logs = createLogs('debug', clock, { write: (line) => lines.push(line), flush() {} })
  const running = await startApi(readConfig(env), {
    logs,
    strict: true,
    port: 0,
    onRefusal: rememberRefusal,
    redisTimes: patientTimes,
    databaseTimes: patientPool,
    hasher: testHasher,
    // The table of the shipped size costs each service 16 ms.
    maxCounters: 8_192,
    ...spec.overrides,
    // Beside other tests, a process of low priority can take longer than an image may.
    images: { ...spec.overrides?.images, resizer: { timeoutMs: 100_000, ...spec.overrides?.images?.resizer } },
  })
  if (spec.isAwaited !== false) await running.checked
  const { port } = running.listening
  const url = `http://127.0.0.1:${port}`

  const request: TestService['request'] = (method, path, { token, headers, body } = {}) =>
    send(method, url + path, { headers: { ...(token !== undefined && { authorization: token }), ...headers }, body })

  return {
    url,
    port,
    env,
    checked: running.checked,
    advice: (spec.isAwaited !== false && (await running.advice)) || '',
    logged: () => lines.map((line) => JSON.parse(line)),
    request,
    async register(username, secret = password) {
      const { status, body, text } = await request('POST', '/auth/register', { body: { username, password: secret } })
      if (status !== 201) throw new Error(`register ${username}: ${status} ${text}`)
      return { id: body.user.id, username, password: secret, accessToken: body.accessToken }
    },
    login: (username, secret = password) => request('POST', '/auth/login', { body: { username, password: secret } }),
    close: atEnd(async () => {
      await running.close(1_000)
      if (!spec.place) await place.drop()
    }),
  }
}
