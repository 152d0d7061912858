import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { inBytes, inTime } from './amounts.ts'
import type { MaybeTerminal } from './ask.ts'

export type Screen = MaybeTerminal<Writable> & { readonly columns?: number }

/** Passes the chunks on, counting them as moved. */
export async function* counting(chunks: AsyncIterable<Uint8Array>, part: ProgressPart, signal?: AbortSignal) {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    part.moved(chunk.length)
    yield chunk
  }
}

const redrawMs = 100
/** The rate is averaged over ten seconds. */
const maxSamples = 100
const maxBarWidth = 24
const minBarWidth = 6

/** A progress bar on standard error, preceded by its name, until it is disposed. Draws nothing unless that is a terminal. */
export function createProgress(screen: Screen, clock: Clock, name = '') {
  const isShown = screen.isTTY === true
  const done = { count: 0, bytes: 0 }
  const total = { count: 0, bytes: 0 }
  let samples: { readonly at: number; readonly amount: number }[] = []
  let timer: NodeJS.Timeout | null = null

  function rate(): number {
    const last = { at: clock.monotonic(), amount: done[unitOf(total)] }
    samples = [...samples, last].slice(-maxSamples)
    const first = samples[0] ?? last
    return last.at - first.at < redrawMs
      ? 0
      : Math.max(0, ((last.amount - first.amount) * 1_000) / (last.at - first.at))
  }

  const draw = () => {
    const width = (screen.columns || 80) - 1 - name.length
    screen.write(`\r${name}${lineOf(done, total, rate(), width)}\u001b[K`)
  }

  return {
    isShown,
    /** Adds to the total, by default one item. */
    expect(bytes: number, count = 1): void {
      total.count += count
      total.bytes += bytes
      if (!isShown || timer !== null) return
      draw()
      timer = setInterval(draw, redrawMs).unref()
    },
    /** Counts items that have no size. */
    passed(count: number): void {
      done.count += count
    },
    /** The progress of one item. */
    part() {
      let mine = 0
      let size = 0
      const add = (bytes: number) => {
        mine += bytes
        done.bytes += bytes
      }
      return {
        moved: add,
        /** Resets it for another attempt. */
        again: () => add(-mine),
        /** Sets the item's size, which counts in the end, however much of it had to be moved. */
        is(bytes: number): void {
          size = bytes
        },
        over(): void {
          add(size - mine)
          done.count++
        },
      }
    },
    [Symbol.dispose](): void {
      if (timer === null) return
      clearInterval(timer)
      timer = null
      screen.write('\r\u001b[K')
    },
  }
}

export type Progress = ReturnType<typeof createProgress>
export type ProgressPart = ReturnType<Progress['part']>

interface Amount {
  readonly count: number
  readonly bytes: number
}

/** What to measure: bytes, or items if they have no size. */
const unitOf = (total: Amount) => (total.bytes > 0 ? 'bytes' : 'count')

export function lineOf(done: Amount, total: Amount, perSecond: number, width: number): string {
  const number = (value: number) => value.toLocaleString('en')
  const unit = unitOf(total)
  const leftMs = ((total[unit] - done[unit]) * 1_000) / perSecond
  const left = Number.isFinite(leftMs) ? `  ${inTime(leftMs)} left` : ''
  const bytes = `  ${inBytes(done.bytes)} of ${inBytes(total.bytes)}  ${inBytes(perSecond)}/s`
  const pace = unit === 'bytes' ? bytes : `  ${number(Math.round(perSecond))}/s`
  const text = `${number(done.count)} of ${number(total.count)}${pace}${left}`
  const room = Math.min(maxBarWidth, width - text.length - 3)
  if (room < minBarWidth) return text.slice(0, width)
  const share = Math.max(0, Math.min(1, total[unit] > 0 ? done[unit] / total[unit] : 1))
  return `[${'#'.repeat(Math.floor(share * room)).padEnd(room, '.')}] ${text}`
}
