import type { Clock } from '../lib/clock.ts'
import { isoTime, type Logs } from '../lib/logger.ts'
import type { Call } from './call.ts'

export type AccessLog = (call: Call, status: number, error: string | null) => void

const longest = 256

/**
 * One line a request, without headers, query or body: nothing secret to redact. Put together by hand, because
 * the logger's general way costs a fifth of what a small request may cost in all. What a client chose is escaped.
 */
export function createAccessLog(logs: Logs, clock: Clock): AccessLog {
  if (!logs.log.isLevelEnabled('info')) return () => {}
  return (call, status, error) => {
    const { path, userId } = call
    const durationMs = Math.round((clock.monotonic() - call.startedAt) * 100) / 100
    logs.line(
      `{"level":"info","time":"${isoTime(clock.now())}","msg":"request","requestId":"${call.requestId}",` +
        `"method":"${call.req.method}","path":${quoted(path)},"status":${status},"durationMs":${durationMs},` +
        `"address":"${call.address}"${userId === null ? '' : `,"userId":"${userId}"`}` +
        `${error === null ? '' : `,"error":${quoted(error)}`}}\n`,
    )
  }
}

/** Bounded, for the message of an unmatched path has that path in it. */
const quoted = (text: string) => JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
