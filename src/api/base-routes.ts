import { type ApiRoute, defineApiRoute, publicPage } from '../accounts/api-route.ts'
import type { Config } from '../config/config.ts'
import { JsonResponse } from '../http/responses.ts'
import { literal, number, object, oneOf, string, timestamp } from '../http/schema.ts'
import type { Clock } from '../lib/clock.ts'
import type { Readiness, State } from './readiness.ts'

export interface BaseDeps {
  readonly config: Pick<Config, 'CONSOLE'>
  readonly clock: Clock
  readonly startedAt: number
  readonly readiness: Readiness
}

const greeting = 'Menagerie is running. Its reference is at /docs'
const messages: Readonly<Record<State, string>> = {
  ready: 'Ready',
  starting: 'Starting',
  unavailable: 'Database is not available',
  draining: 'Draining',
}

const replyOf = (status: 200 | 503, states: readonly State[], database: 'up' | 'down') => {
  const other = () => oneOf(['up', 'degraded'], { examples: ['up'] })
  return object(
    {
      status: literal(status),
      message: oneOf(states.map((state) => messages[state])),
      checks: object(
        {
          database: oneOf(['up', 'down'], { examples: [database] }),
          objectStore: other(),
          redis: other(),
          statusWorker: other(),
        },
        { title: 'DependencyChecks', required: ['database', 'objectStore'] },
      ),
    },
    { title: status === 200 ? 'Readiness' : 'NotReady' },
  )
}

export const baseRoutes: readonly ApiRoute<BaseDeps, unknown>[] = [
  defineApiRoute({
    ...publicPage,
    path: '/',
    operationId: 'getGreeting',
    summary: 'Show a greeting',
    reply: {
      status: 200,
      schema: object({ status: literal(200), message: string({ examples: [greeting] }) }, { title: 'Greeting' }),
    },
    handle: (_call, { config: { CONSOLE } }: BaseDeps) => ({
      status: 200,
      message: CONSOLE ? `${greeting}, its console at /console` : greeting,
    }),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/health',
    operationId: 'getHealth',
    summary: 'Check liveness',
    description: '200 as long as the process responds, whatever the state of the database.',
    reply: {
      status: 200,
      schema: object(
        {
          status: literal(200),
          message: string({ examples: ['OK'] }),
          timestamp: timestamp(),
          uptimeSeconds: number({ minimum: 0, examples: [4711.2] }),
          responseTimeMs: number({ minimum: 0, examples: [0.05] }),
        },
        { title: 'Health' },
      ),
    },
    handle: (call, { clock, startedAt }: BaseDeps) => ({
      status: 200,
      message: 'OK',
      timestamp: new Date(clock.now()).toISOString(),
      uptimeSeconds: Math.round(clock.monotonic() - startedAt) / 1000,
      responseTimeMs: Math.round((clock.monotonic() - call.startedAt) * 1000) / 1000,
    }),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/ready',
    operationId: 'getReadiness',
    summary: 'Check readiness',
    description:
      'The result of the last check: dependencies are checked in the background every 2 s. A dependency other than ' +
      'the database only degrades the service. `redis` and `statusWorker` are present if they are configured.',
    reply: [
      { status: 200, schema: replyOf(200, ['ready'], 'up'), description: 'Ready, possibly degraded' },
      {
        status: 503,
        schema: replyOf(503, ['unavailable', 'starting', 'draining'], 'down'),
        description: 'Starting, draining, or the database cannot be read and written',
      },
    ],
    handle(_call, { readiness }: BaseDeps) {
      const state = readiness.state()
      const status = state === 'ready' ? 200 : 503
      const body = { status, message: messages[state], checks: readiness.checks() }
      return status === 200 ? body : new JsonResponse(status, body)
    },
  }),
]
