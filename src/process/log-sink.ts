import { write, writeSync } from 'node:fs'

export interface LogSink {
  write(line: string): void
  /** Before the process ends: what has not been written yet is written now, or given up. */
  flush(): void
}

const blockBytes = 65_536
const mostBytes = 16_777_216
const flushEveryMs = 100
const lastFlushMs = 500
const retryMs = 10

export const standardSink = (): LogSink => (process.stdout.isTTY ? terminalSink() : descriptorSink(1))

/**
 * Buffered and not blocking: a slow reader of the log never holds up a request, and past 16 MiB lines are dropped.
 * A reader that has gone, or a full disk, costs lines and nothing else; pino's own sink would then try its last
 * flush again without end. Lines become bytes at once: as texts, joined and kept, they cost several times as much.
 */
export function descriptorSink(descriptor: number): LogSink {
  /** The memory of blocks, to be used again; other lines came too long for one. */
  const own = new WeakSet<ArrayBufferLike>()
  let block = newBlock()
  let filled = 0
  let spare: Buffer | null = null
  /** What is to be written, oldest first. */
  const blocks: Buffer[] = []
  let waiting = 0
  let isWriting = false
  let isFull = false

  function newBlock(): Buffer {
    const made = Buffer.allocUnsafeSlow(blockBytes)
    own.add(made.buffer)
    return made
  }

  const enqueue = (bytes: Buffer) => {
    blocks.push(bytes)
    waiting += bytes.length
  }

  const close = () => {
    if (filled === 0) return
    enqueue(block.subarray(0, filled))
    block = spare ?? newBlock()
    spare = null
    filled = 0
  }

  const writeOn = () => {
    const [first] = blocks
    if (isWriting || isFull || first === undefined) return
    isWriting = true
    write(descriptor, first, (error, count) => {
      isWriting = false
      isFull = error?.code === 'EAGAIN'
      if (!isFull) written(first, error ? first.length : count)
      writeOn()
    })
  }

  const written = (first: Buffer, count: number) => {
    waiting -= count
    if (count < first.length) blocks[0] = first.subarray(count)
    else {
      blocks.shift()
      if (own.has(first.buffer)) spare = Buffer.from(first.buffer)
    }
  }

  const flush = () => {
    close()
    const rest = Buffer.concat(blocks.splice(isWriting ? 1 : 0))
    waiting -= rest.length
    writeWhole(descriptor, rest, performance.now() + lastFlushMs)
  }

  const timer = setInterval(() => {
    isFull = false
    // While the reader is slow a block is filled first.
    if (blocks.length === 0) close()
    writeOn()
  }, flushEveryMs)
  timer.unref()
  process.on('exit', flush)
  return {
    write(line) {
      const most = line.length * 3
      if (waiting + filled > mostBytes) return
      if (most > blockBytes - filled) {
        close()
        if (most > blockBytes) enqueue(Buffer.from(line))
        writeOn()
      }
      if (most <= blockBytes) filled += block.write(line, filled)
    },
    flush,
  }
}

function writeWhole(descriptor: number, bytes: Buffer, giveUpAt: number): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > giveUpAt) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
    }
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
