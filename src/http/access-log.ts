import type { Clock } from '../lib/clock.ts'
import { isoTime, type Logs } from '../lib/logger.ts'
import type { Call } from './call.ts'

export type AccessLog = (call: Call, status: number, error: string | null) => void

const longest = 256

/**
 * One line a request, without headers, query or body: nothing secret to redact. Put together here because
 * the logger's general way costs a quarter of what a small request may cost in all.
 */
export function createAccessLog(logs: Logs, clock: Clock): AccessLog {
  if (!logs.log.isLevelEnabled('info')) return () => {}
  return (call, status, error) => {
    const line = {
      level: 'info',
      time: isoTime(clock.now()),
      msg: 'request',
      requestId: call.requestId,
      method: call.req.method,
      path: cut(call.path),
      status,
      durationMs: Math.round((clock.monotonic() - call.startedAt) * 100) / 100,
      address: call.address,
      userId: call.userId ?? undefined,
      // A message may have the path in it.
      error: error === null ? undefined : cut(error),
    }
    logs.line(`${JSON.stringify(line)}\n`)
  }
}

const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text)
