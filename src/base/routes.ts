import { JsonAnswer } from '../http/call.ts'
import { defineRoute, open, type Route } from '../http/route.ts'
import { literal, number, object, oneOf, string, timestamp } from '../http/schema.ts'
import type { Clock } from '../lib/clock.ts'
import type { Readiness } from './readiness.ts'

export interface BaseDeps {
  readonly clock: Clock
  readonly startedAt: number
  readonly readiness: Readiness
}

const greeting = 'Menagerie is running. Its reference is at /docs'
const ready = { status: 200, message: 'Ready' } as const
const notReady = { status: 503, message: 'Not ready' } as const

const readyReply = ({ status, message }: typeof ready | typeof notReady, database: 'up' | 'down') =>
  object({
    status: literal(status),
    message: literal(message),
    checks: object({
      database: oneOf(['up', 'down'], { examples: [database] }),
      objectStore: oneOf(['up', 'down'], { examples: ['up'] }),
    }),
  })

export function baseRoutes({ clock, startedAt, readiness }: BaseDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      summary: 'What this is',
      access: open,
      envelope: 'message',
      reply: { status: 200, schema: object({ status: literal(200), message: string({ examples: [greeting] }) }) },
      errors: [],
      handle: () => ({ status: 200, message: greeting }),
    }),
    defineRoute({
      method: 'GET',
      path: '/health',
      summary: 'Is the process alive',
      description: 'Answers 200 as long as the process does, whatever becomes of the database.',
      access: open,
      envelope: 'message',
      reply: {
        status: 200,
        schema: object({
          status: literal(200),
          message: string({ examples: ['OK'] }),
          timestamp: timestamp(),
          uptimeSeconds: number({ minimum: 0, examples: [4711.2] }),
          responseTimeMs: number({ minimum: 0, examples: [0.05] }),
        }),
      },
      errors: [],
      handle: (call) => ({
        status: 200,
        message: 'OK',
        timestamp: new Date(clock.now()).toISOString(),
        uptimeSeconds: Math.round(clock.monotonic() - startedAt) / 1000,
        responseTimeMs: Math.round((clock.monotonic() - call.startedAt) * 1000) / 1000,
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/ready',
      summary: 'Can it serve',
      description: 'Looks at the parts in the background every 2 s, and answers what it saw last: asking is cheap.',
      access: open,
      envelope: 'message',
      reply: [
        { status: 200, schema: readyReply(ready, 'up'), description: 'Every part is up' },
        { status: 503, schema: readyReply(notReady, 'down'), description: 'A part is down' },
      ],
      errors: [],
      handle() {
        const state = readiness.state()
        const checks = Object.fromEntries(Object.entries(state).map(([name, up]) => [name, up ? 'up' : 'down']))
        return Object.values(state).every((up) => up)
          ? { ...ready, checks }
          : new JsonAnswer(503, { ...notReady, checks })
      },
    }),
  ]
}
