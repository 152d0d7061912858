import { write, writeSync } from 'node:fs'

export interface LogSink {
  write(line: string): void
  /** Call before exit: writes what is pending, or gives up after `lastFlushMs`. */
  flush(): void
}

const blockBytes = 65_536
const maxBytes = 16_777_216
const flushEveryMs = 100
const lastFlushMs = 500
const retryMs = 10

export const standardSink = (): LogSink => (process.stdout.isTTY ? terminalSink() : descriptorSink(1))

/**
 * Buffered and non-blocking: a slow reader of the log delays no request. Beyond 16 MiB, or with a closed pipe or a full
 * disk, lines are dropped. (pino's own sink would retry its last flush forever.) Lines are encoded at once, since
 * joining pending strings costs several times as much.
 */
export function descriptorSink(descriptor: number): LogSink {
  /** Memory of reusable blocks; a line longer than a block has its own. */
  const own = new WeakSet<ArrayBufferLike>()
  let block = newBlock()
  let filled = 0
  let spare: Buffer | null = null
  /** Pending writes, oldest first. */
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
    // With a slow reader, fills the block first.
    if (blocks.length === 0) close()
    writeOn()
  }, flushEveryMs)
  timer.unref()
  process.on('exit', flush)
  return {
    write(line) {
      const maxLength = line.length * 3
      if (waiting + filled > maxBytes) return
      if (maxLength > blockBytes - filled) {
        close()
        if (maxLength > blockBytes) enqueue(Buffer.from(line))
        writeOn()
      }
      if (maxLength <= blockBytes) filled += block.write(line, filled)
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

/** Human-readable lines. */
export function terminalSink(out: Pick<NodeJS.WriteStream, 'write' | 'on'> = process.stdout): LogSink {
  const colours: Record<string, number> = { debug: 90, info: 32, warn: 33, error: 31, fatal: 31 }
  out.on('error', () => {})
  return {
    write(line) {
      const { level, time, msg, err, ...rest } = JSON.parse(line)
      const { stack: trace = '', message } = err ?? {}
      const shown = trace === '' && message !== undefined ? { ...rest, err: message } : rest
      const fields = Object.entries(shown).map(([key, value]) => ` \x1b[90m${key}=\x1b[0m${show(value)}`)
      const stack = String(trace).split('\n').map(escaped).join('\n  ')
      const mark = `\x1b[${colours[level] ?? 0}m${String(level).padEnd(5)}\x1b[0m`
      out.write(
        `${String(time).slice(11, 19)} ${mark} ${escaped(msg ?? '')}${fields.join('')}${stack && `\n  ${stack}`}\n`,
      )
    },
    flush() {},
  }
}

const show = (value: unknown) =>
  escaped(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value))

/** Escapes control characters, so that clients cannot send terminal sequences. */
const escaped = (text: string) =>
  text.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
