import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { ImageChunks, Resized, ResizeJob } from '../../images/sizes/resizer.ts'
import { NoResizer, NotResizable } from '../../images/sizes/resizer-errors.ts'
import { freeBuffer } from '../../lib/free-buffer.ts'
import { type Answer, frameReader, headOf } from './frames.ts'

export interface ResizeLimits {
  /** For the work on an image, once all of it has arrived. */
  readonly timeoutMs: number
  /** Resident memory of a process. */
  readonly maxBytes: number
}

/** With the extension of this file: in a package it is compiled. */
const program = join(import.meta.dirname, `child/main${extname(import.meta.filename)}`)
/** Images lie outside V8's heap. */
const flags = ['--max-old-space-size=64', '--max-semi-space-size=2']
const checkEveryMs = 50
/** On a busy machine, a process of low priority starts late. */
const maxStartMs = 30_000

type Answered = readonly [Answer, Buffer]

/** A process that decodes and encodes images, one after another. It is ended by whatever goes wrong. */
export class ResizeProcess {
  readonly #limits: ResizeLimits
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  /** The start, or the job in progress. */
  #waiting = Promise.withResolvers<Answered>()
  /** Why it was ended here. */
  #verdict: Error | null = null
  #hasEnded = false

  /** Rejects with NoResizer. */
  static async start(limits: ResizeLimits): Promise<ResizeProcess> {
    const started = new ResizeProcess(limits)
    const timer = setTimeout(() => started.#end(new Error('it did not start in time')), maxStartMs)
    try {
      const [answer] = await started.#waiting.promise
      if (answer.is === 'ready') return started
      await started.end()
      throw new NoResizer(`sharp cannot be loaded: ${'message' in answer && answer.message}`, { isFinal: true })
    } catch (cause) {
      if (cause instanceof NoResizer) throw cause
      throw new NoResizer('the process that resizes images could not be started', { isFinal: false, cause })
    } finally {
      clearTimeout(timer)
    }
  }

  private constructor(limits: ResizeLimits) {
    this.#limits = limits
    // Most installations never get here.
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(process.execPath, [...flags, program], {
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#child = child
    const read = frameReader<Answer>((answer, bytes) => this.#waiting.resolve([answer, bytes]))
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch (error) {
        this.#end(new NotResizable(String(error), 'for this version'))
      }
    })
    // Written after its end, which tells why.
    child.stdin.on('error', () => {})
    this.#ended = new Promise((resolve) => {
      const onEnd = (error: Error) => {
        this.#hasEnded = true
        this.#waiting.promise.catch(() => {})
        this.#waiting.reject(this.#verdict ?? error)
        resolve()
      }
      child.once('error', onEnd)
      // After all of its output, unlike `exit`.
      child.once('close', (code, signal) => onEnd(crashed(code, signal)))
    })
  }

  get isRunning(): boolean {
    return !this.#hasEnded && this.#verdict === null
  }

  /** Resident memory; 0 where /proc does not tell it. */
  memoryBytes(): number {
    return this.#hasEnded ? 0 : memoryOf(this.#child.pid)
  }

  /** Rejects with NotResizable, with the error of `chunks`, or with NoResizer if the process has already ended. */
  async resize(job: ResizeJob, chunks: ImageChunks): Promise<Resized> {
    // Nothing would answer.
    if (this.#hasEnded) throw new NoResizer('the process has ended', { isFinal: false, cause: this.#verdict })
    const { timeoutMs, maxBytes } = this.#limits
    let isSent = false
    const timer = setTimeout(() => {
      // The image is not to blame for a slow store.
      this.#end(isSent ? tooMuch(`${timeoutMs} ms`) : new Error('the image did not arrive in time'))
    }, timeoutMs)
    const check = setInterval(() => {
      if (this.memoryBytes() > maxBytes) this.#end(tooMuch(`${maxBytes} bytes`))
    }, checkEveryMs)
    this.#waiting = Promise.withResolvers<Answered>()
    const sending = this.#send(job, chunks, timer).then(() => {
      isSent = true
    })
    try {
      // A store that never ends its stream is given up with the process.
      const [[answer, bytes]] = await Promise.all([this.#waiting.promise, Promise.race([sending, this.#ended])])
      if (answer.is === 'result') return { bytes, look: answer.look }
      throw answer.is === 'refused'
        ? new NotResizable(answer.message, answer.lasting)
        : new NotResizable(`unexpected answer: ${answer.is}`, 'for this version')
    } finally {
      clearTimeout(timer)
      clearInterval(check)
    }
  }

  /** Resolves when it has ended. */
  async end(): Promise<void> {
    this.#end(new Error('the service stops'))
    await this.#ended
  }

  #end(why: Error): void {
    this.#verdict ??= why
    this.#child.kill('SIGKILL')
  }

  async #send(job: ResizeJob, chunks: ImageChunks, timer: NodeJS.Timeout): Promise<void> {
    const stdin = this.#child.stdin as NonNullable<ChildProcess['stdin']>
    stdin.write(headOf(job))
    try {
      for await (const chunk of chunks) {
        if (this.#hasEnded) return
        timer.refresh()
        const drained = () => new Promise((resolve) => stdin.once('drain', resolve))
        const isWritten = () => chunks.isGivenAway && freeBuffer(chunk)
        if (!stdin.write(chunk, isWritten)) await Promise.race([drained(), this.#ended])
      }
      timer.refresh()
    } catch (error) {
      // It would wait for the rest.
      this.#end(error as Error)
      throw error
    }
  }
}

function memoryOf(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0
  try {
    const [, kilobytes = 0] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    return 0
  }
}

const tooMuch = (limit: string) => new NotResizable(`it took more than ${limit}`, 'for a while')

/** Decoders crash by other signals than those that somebody sends, the kernel for lack of memory included. */
function crashed(code: number | null, signal: NodeJS.Signals | null): Error {
  const isSent = signal === 'SIGKILL' || signal === 'SIGTERM'
  return new NotResizable(`the process ended with ${signal ?? code}`, isSent ? 'not at all' : 'for this version')
}
