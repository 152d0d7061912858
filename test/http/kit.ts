import { openGate } from '../../src/http/gate.ts'
import { type Listening, listen } from '../../src/http/listen.ts'
import type { Refusal } from '../../src/http/refusal.ts'
import { defineRoute, open, type Route, type RouteSpec } from '../../src/http/route.ts'
import { createService, type ServiceOptions } from '../../src/http/service.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { createLogs } from '../../src/process/logger.ts'
import { atEnd } from '../support/at-end.ts'

export interface Kit {
  readonly port: number
  readonly listening: Listening
  /** Logged until it listened; `lines` has what was logged from then on. */
  readonly startLines: readonly string[]
  readonly lines: string[]
  logged(): Record<string, unknown>[]
  request(path: string, init?: RequestInit): Promise<{ status: number; text: string; headers: Headers }>
}

export type KitRouteSpec = Partial<RouteSpec<null, null, null>>

/** GET / for everybody, except for what the test is about. */
export const kitRoute = (spec: KitRouteSpec): Route<unknown, unknown> =>
  defineRoute<null>({
    method: 'GET',
    path: '/',
    operationId: 'call',
    summary: '',
    access: open,
    envelope: 'message',
    errors: [],
    reply: { status: 200, type: 'text/plain' },
    handle: () => null,
    ...spec,
  })

/** The kit alone, with the test's own routes. */
export async function startKit(
  routes: readonly Route<unknown, unknown>[],
  options: Partial<ServiceOptions> = {},
  host = '127.0.0.1',
): Promise<Kit> {
  const lines: string[] = []
  const notFound = (method: string, path: string): Refusal => ({
    status: 404,
    message: `Not Found - ${method} ${path}`,
  })
  const service = createService({
    routes,
    needs: null,
    gate: openGate,
    logs: createLogs('debug', systemClock, { write: (line) => lines.push(line), flush() {} }),
    clock: systemClock,
    newId: createIds(systemClock),
    envelope: 'message',
    notFound,
    addressOf: (req) => req.socket.remoteAddress ?? '',
    texts: { MAINTAINER: 'Ada' },
    stacks: false,
    strict: true,
    secureTransport: false,
    ...options,
  })
  const listening = await listen(service, { host, port: 0 })
  atEnd(() => listening.close(0))
  const { port } = listening
  const startLines = lines.splice(0)
  return {
    port,
    listening,
    startLines,
    lines,
    logged: () => lines.map((line) => JSON.parse(line)),
    async request(path, init) {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, init)
      return { status: reply.status, text: await reply.text(), headers: reply.headers }
    },
  }
}
