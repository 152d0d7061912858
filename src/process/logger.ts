import pino from 'pino'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type LogSink, standardSink } from './log-sink.ts'

export type Logger = pino.Logger

export interface Logs {
  log: Logger
  /** Writes a complete line at level info: the fast path of the access log. */
  line(text: string): void
  flush(): void
}

const secrets = [
  ...['authorization', 'cookie', 'password', 'currentPassword', 'newPassword', 'accessToken', 'token', 'secret'],
  ...['accessKeyId', 'secretAccessKey', 'sessionToken', 'connectionString'],
]

/** JSON lines on standard output; human-readable on a terminal. */
export function createLogs(level: string, clock: Clock, sink: LogSink = standardSink()): Logs {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${isoTime(clock.now())}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  }
  const log = pino(options, sink)
  const info = log.isLevelEnabled('info')
  return { log, line: (text) => info && sink.write(text), flush: sink.flush }
}
