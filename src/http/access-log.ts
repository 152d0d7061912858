import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Logs } from '../process/logger.ts'
import type { Call } from './call.ts'
import type { OnResponse } from './request-metrics.ts'

export type AccessLog = (call: Call, status: number, error: string | null) => void

const longest = 256

/**
 * One line a request, without headers, query or body: nothing secret to redact. Put together by hand, because
 * the logger's general way costs a fifth of what a small request may cost in all. What a client chose is escaped.
 * `onResponse` is told of each, logged or not.
 */
export function createAccessLog(logs: Logs, clock: Clock, onResponse: OnResponse = () => {}): AccessLog {
  if (!logs.log.isLevelEnabled('info'))
    return (call, status) => onResponse(call, status, clock.monotonic() - call.startedAt)
  const begin = createBegin()
  const isAll = logs.log.isLevelEnabled('debug')
  return (call, status, error) => {
    const { path, userId } = call
    const passedMs = clock.monotonic() - call.startedAt
    const durationMs = Math.round(passedMs * 100) / 100
    onResponse(call, status, passedMs)
    if (call.route?.isRoutine && status < 300 && !isAll) return
    logs.line(
      `${begin(clock.now())}${call.requestId}","method":"${call.req.method}","path":${quoted(path)},"status":${status},` +
        `"durationMs":${durationMs},"address":"${call.address}"${userId === null ? '' : `,"userId":"${userId}"`}` +
        `${error === null ? '' : `,"error":${quoted(error)}`}}\n`,
    )
  }
}

/** The begin of a line, which many have in common under load: those of one millisecond. */
function createBegin(): (now: number) => string {
  let last = -1
  let text = ''
  return (now) => {
    if (now !== last) text = `{"level":"info","time":"${isoTime(now)}","msg":"request","requestId":"`
    last = now
    return text
  }
}

/** Bounded, for the message of an unmatched path has that path in it. */
const quoted = (text: string) =>
  text.length <= longest && isPlain.test(text)
    ? `"${text}"`
    : JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
const isPlain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
