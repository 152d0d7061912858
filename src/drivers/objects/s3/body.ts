import { freeBuffer } from '../../../lib/free-buffer.ts'
import { Unavailable } from '../../../lib/unavailable.ts'

/** Controls the socket that a body comes from. */
interface Flow {
  pause(): void
  resume(): void
  /** Destroys the socket. */
  abort(error: Error): void
}

const maxBufferedBytes = 64 * 1024
const wrongLength = (taken: number, size: number) => new Error(`The object store sent ${taken} of ${size} bytes`)

/**
 * The body of a response, consumed once. `push`, `end` and `fail` are for the receiver, the rest for the reader. Copies
 * what it returns.
 */
export class Body {
  readonly #flow: Flow
  readonly #idle: NodeJS.Timeout
  #pieces: Uint8Array[] = []
  #waiting = 0
  #isPaused = false
  #isTaken = false
  #isOver = false
  #failure: Error | null = null
  #target: Buffer | null = null
  #filled = 0
  #wake: (() => void) | null = null

  constructor(flow: Flow, idleMs: number) {
    this.#flow = flow
    // undici's own timeout is up to half a second late, and does not detect a stopped consumer.
    this.#idle = setTimeout(() => {
      if (!this.#isPaused)
        this.#stop(new Unavailable('the object store', new Error(`received nothing for ${idleMs} ms`)))
      else if (!this.#isTaken) this.#stop(new Error('the object was opened but not read'))
    }, idleMs)
  }

  /** The caller reuses the piece's memory afterwards. */
  push(piece: Uint8Array): void {
    if (this.#isOver) return
    this.#idle.refresh()
    if (this.#target !== null) return this.#fill(this.#target, piece)
    this.#pieces.push(ownCopy(piece))
    this.#waiting += piece.length
    if (this.#waiting >= maxBufferedBytes && !this.#isPaused) {
      this.#isPaused = true
      this.#flow.pause()
    }
    this.#notify()
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#idle)
    this.#notify()
  }

  fail(error: Error): void {
    if (this.#isOver) return
    this.#failure = error
    this.#pieces = []
    this.end()
  }

  /** Rejects unless it has exactly this size. */
  async whole(size: number): Promise<Buffer> {
    this.#take()
    try {
      const buffer = Buffer.allocUnsafeSlow(size)
      for (const piece of this.#pieces) {
        this.#fill(buffer, piece)
        freeBuffer(piece)
      }
      this.#target = buffer
      this.#pieces = []
      this.#waiting = 0
      this.#resume()
      while (!this.#isOver) await this.#change()
      if (this.#failure !== null) throw this.#failure
      if (this.#filled !== size) throw wrongLength(this.#filled, size)
      return buffer
    } catch (error) {
      this.#stop(error as Error)
      throw error
    }
  }

  /** For anything but an object. Rejects if the body is larger. */
  async upTo(max: number): Promise<Buffer> {
    const taken: Uint8Array[] = []
    let bytes = 0
    for await (const piece of this.chunks(null)) {
      taken.push(piece)
      bytes += piece.length
      if (bytes > max) throw new Error(`The object store sent a response of more than ${max} bytes`)
    }
    return Buffer.concat(taken, bytes)
  }

  discard(): void {
    this.#stop(new Error('the object was discarded'))
  }

  /** Not a generator: leaving one before its first chunk would not close the socket. */
  chunks(size: number | null): AsyncIterable<Uint8Array> {
    let taken = 0
    let isBegun = false
    let isLeft = false
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (!isBegun) this.#take()
      isBegun = true
      while (!isLeft) {
        const piece = this.#shift()
        if (piece !== undefined) {
          taken += piece.length
          return { done: false, value: piece }
        }
        if (this.#failure !== null) throw this.#failure
        if (this.#isOver && size !== null && taken !== size) throw wrongLength(taken, size)
        if (this.#isOver) break
        await this.#change()
      }
      return { done: true, value: undefined }
    }
    const leave = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      isLeft = true
      this.discard()
      return { done: true, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  }

  #take(): void {
    if (this.#isTaken) throw new Error('an object can be read only once')
    this.#isTaken = true
  }

  #shift(): Uint8Array | undefined {
    const piece = this.#pieces.shift()
    if (piece === undefined) return undefined
    this.#waiting -= piece.length
    this.#resume()
    return piece
  }

  #fill(buffer: Buffer, piece: Uint8Array): void {
    const end = this.#filled + piece.length
    if (end > buffer.length) return this.#stop(wrongLength(end, buffer.length))
    buffer.set(piece, this.#filled)
    this.#filled = end
  }

  #resume(): void {
    if (!this.#isPaused || this.#waiting >= maxBufferedBytes) return
    this.#isPaused = false
    if (this.#isOver) return
    this.#idle.refresh()
    this.#flow.resume()
  }

  #change(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }

  #stop(error: Error): void {
    if (this.#isOver) return
    this.fail(error)
    this.#flow.abort(error)
  }
}

function ownCopy(piece: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(piece.length)
  copy.set(piece)
  return copy
}
