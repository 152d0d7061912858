import pino from 'pino'
import type { Clock } from '../lib/clock.ts'
import { describeFailure } from '../lib/failure.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type LogSink, standardSink } from './log-sink.ts'
import { withoutStack } from './outages.ts'

export type Logger = pino.Logger

export interface Logs {
  log: Logger
  /** Writes a complete line at level info: the access log's fast path. */
  line(text: string): void
  flush(): void
}

const secrets = [
  'authorization',
  'cookie',
  'password',
  'currentPassword',
  'newPassword',
  'accessToken',
  'token',
  'secret',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'connectionString',
  'apiKey',
]

/** Operational failures need no stack. */
const showError = (error: unknown) =>
  !(error instanceof Error)
    ? error
    : describeFailure(error) === null
      ? pino.stdSerializers.err(error)
      : withoutStack(error)

/** JSON lines on standard output; human-readable on a terminal. */
export function createLogs(level: string, clock: Clock, sink: LogSink = standardSink()): Logs {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${isoTime(clock.now())}"`,
    serializers: { err: showError },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        ...secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        ...['', '*', '*.*'].map((parent) => `${parent}["x-api-key"]`),
      ],
      censor: '[redacted]',
    },
  }
  const log = pino(options, sink)
  const info = log.isLevelEnabled('info')
  return { log, line: (text) => info && sink.write(text), flush: sink.flush }
}
