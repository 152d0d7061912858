import { systemClock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'

/** A program that ends before it has a log: a line of a log all the same, unless a person reads it. */
export function writeFatal(msg: string): void {
  const line = process.stderr.isTTY ? msg : JSON.stringify({ level: 'fatal', time: isoTime(systemClock.now()), msg })
  process.stderr.write(`${line}\n`)
}
