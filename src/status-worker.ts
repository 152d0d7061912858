import { type Config, isDevelopment } from './config.ts'
import { limits } from './http/limits.ts'
import { listen } from './http/listen.ts'
import type { Refusal } from './http/refusal.ts'
import { defineRoute, open, type Route } from './http/route.ts'
import type { Overrides, Running } from './http/running.ts'
import { literal, object } from './http/schema.ts'
import { createService } from './http/service.ts'
import { plainAddress } from './lib/address.ts'
import { systemClock } from './lib/clock.ts'
import { createIds } from './lib/ids.ts'
import { createLogs } from './lib/logger.ts'

export const workerErrors = {
  forbidden: {
    status: 403,
    message: 'Forbidden',
    when: 'the address is not in `STATUS_ALLOW`, or there is an `Origin`',
  },
  notFound: { status: 404, message: 'Not found', when: 'no route has this method and path' },
} as const satisfies Record<string, Refusal>

/** The status worker: for now a process that answers whether it lives, to the networks it trusts. */
export async function startWorker(config: Config, overrides: Overrides = {}): Promise<Running> {
  const { clock = systemClock, logs = createLogs(config.LOG_LEVEL, clock) } = overrides
  const service = createService({
    routes: workerRoutes(),
    logs,
    clock,
    newId: createIds(clock),
    envelope: 'ok',
    notFound: () => workerErrors.notFound,
    // A page in a browser on an allowed machine is not the machine: requests with an Origin are refused too.
    forbid: (address, headers) =>
      config.STATUS_ALLOW.has(plainAddress(address)) && headers.origin === undefined ? null : workerErrors.forbidden,
    addressOf: (req) => plainAddress(req.socket.remoteAddress ?? ''),
    texts: {},
    stacks: false,
    strict: overrides.strict ?? isDevelopment(config),
    secureTransport: false,
    ...(overrides.onRefusal && { onRefusal: overrides.onRefusal }),
  })
  const listening = await listen(service, { host: config.STATUS_HOST, port: overrides.port ?? config.STATUS_PORT })
  return {
    listening,
    logs,
    async close(graceMs = limits.drainMs) {
      await listening.close(graceMs)
      logs.flush()
    },
  }
}

export function workerRoutes(): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/livez',
      summary: 'Is the worker alive',
      access: open,
      envelope: 'ok',
      reply: { status: 200, schema: object({ ok: literal(true) }) },
      errors: [],
      handle: () => ({ ok: true }),
    }),
  ]
}
