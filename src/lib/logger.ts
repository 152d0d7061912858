import pino from 'pino'
import type { Clock } from './clock.ts'

export type Logger = pino.Logger

export interface Logs {
  log: Logger
  /** Writes one finished line at level info: the access log's short way past the general one. */
  line(text: string): void
  flush(): void
}

const secrets = [
  ...['authorization', 'cookie', 'password', 'currentPassword', 'newPassword', 'accessToken', 'token', 'secret'],
  ...['accessKeyId', 'secretAccessKey', 'sessionToken', 'connectionString'],
]
const flushEveryMs = 100
const lastFlushMs = 500

/** JSON lines on standard output; on a terminal, lines for people. */
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

export interface LogSink {
  write(line: string): void
  flush(): void
}

const standardSink = () => (process.stdout.isTTY ? terminalSink() : jsonSink())

/** Buffered and not blocking: a slow reader of the log never holds up a request; past 16 MiB lines are dropped. */
function jsonSink(): LogSink {
  let giveUpAt = Infinity
  const out = pino.destination({
    ...{ fd: 1, sync: false, minLength: 32_768, maxWrite: 65_536, maxLength: 16_777_216 },
    retryEAGAIN: () => performance.now() < giveUpAt,
  })
  // A full disk, or a reader that has gone, costs lines and nothing else.
  out.on('error', () => {})
  setInterval(() => out.flush(), flushEveryMs).unref()
  return {
    write: (line) => out.write(line),
    flush() {
      giveUpAt = performance.now() + lastFlushMs
      try {
        out.flushSync()
      } catch {
        // The reader of the log has gone, or does not read: nobody is left to tell, and nothing to be tried again.
        out.flushSync = () => {}
      }
      giveUpAt = Infinity
    },
  }
}

/** Lines for people; nothing that a client sent steers the terminal. */
export function terminalSink(out: Pick<NodeJS.WriteStream, 'write' | 'on'> = process.stdout): LogSink {
  const colours: Record<string, number> = { debug: 90, info: 32, warn: 33, error: 31, fatal: 31 }
  out.on('error', () => {})
  return {
    write(line) {
      const { level, time, msg, err, ...rest } = JSON.parse(line)
      const fields = Object.entries(rest).map(([key, value]) => ` \x1b[90m${key}=\x1b[0m${show(value)}`)
      const stack = String(err?.stack ?? '')
        .split('\n')
        .map(harmless)
        .join('\n  ')
      const mark = `\x1b[${colours[level] ?? 0}m${String(level).padEnd(5)}\x1b[0m`
      out.write(
        `${String(time).slice(11, 19)} ${mark} ${harmless(msg ?? '')}${fields.join('')}${stack && `\n  ${stack}`}\n`,
      )
    },
    flush() {},
  }
}

const show = (value: unknown) =>
  harmless(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value))

/** What steers a terminal stands as its code, so that nothing a client sent can. */
const harmless = (text: string) =>
  text.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

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
