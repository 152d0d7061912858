import pino from 'pino'
import type { Clock } from './clock.ts'

export type Logger = pino.Logger

export interface Logs {
  log: Logger
  /** Writes one finished line at level info: the access log's short way past the general one. */
  line(text: string): void
  flush(): void
}

const secrets = ['authorization', 'password', 'currentPassword', 'newPassword', 'accessToken', 'token']
const flushEveryMs = 100

/** JSON lines on standard output; on a terminal, lines for people. */
export function createLogs(level: string, clock: Clock, sink: LogSink = standardSink()): Logs {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${isoTime(clock.now())}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  }
  const log = pino(options, sink)
  const info = log.isLevelEnabled('info')
  return { log, line: (text) => info && sink.write(text), flush: sink.flush }
}

export interface LogSink {
  write(line: string): void
  flush(): void
}

const standardSink = () => (process.stdout.isTTY ? terminalSink() : jsonSink())

/** Buffered and not blocking: a slow reader of the log never holds up a request; past 16 MiB lines are dropped. */
function jsonSink(): LogSink {
  const out = pino.destination({ fd: 1, sync: false, minLength: 32_768, maxWrite: 65_536, maxLength: 16_777_216 })
  setInterval(() => out.flush(), flushEveryMs).unref()
  return {
    write: (line) => out.write(line),
    flush() {
      try {
        out.flushSync()
      } catch {
        // The reader of the log has gone; there is nobody left to tell.
      }
    },
  }
}

function terminalSink(): LogSink {
  const colours: Record<string, number> = { debug: 90, info: 32, warn: 33, error: 31, fatal: 31 }
  process.stdout.on('error', () => {})
  return {
    write(line) {
      const { level, time, msg, err, ...rest } = JSON.parse(line)
      const fields = Object.entries(rest).map(([key, value]) => ` \x1b[90m${key}=\x1b[0m${show(value)}`)
      const stack = err?.stack ? `\n${err.stack}` : ''
      const mark = `\x1b[${colours[level] ?? 0}m${String(level).padEnd(5)}\x1b[0m`
      process.stdout.write(`${String(time).slice(11, 19)} ${mark} ${msg ?? ''}${fields.join('')}${stack}\n`)
    },
    flush() {},
  }
}

const show = (value: unknown) => (typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value))

let lastMs = -1
let lastIso = ''

/** The same millisecond is written many times under load, so its text is kept. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastIso
}
