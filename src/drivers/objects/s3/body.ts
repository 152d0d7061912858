import { giveBack } from '../../../lib/give-back.ts'
import { Unavailable } from '../../../lib/unavailable.ts'

/** Holds the socket that a body comes from. */
export interface Flow {
  pause(): void
  resume(): void
  /** Destroys the socket. */
  abort(error: Error): void
}

/** The body of an answer, to be taken once. */
export interface BodyStream {
  /** Rejects unless it is exactly as long. */
  whole(size: number): Promise<Buffer>
  chunks(size: number): AsyncIterable<Uint8Array>
  /** For what is no object; rejects where there is more. */
  upTo(most: number): Promise<Buffer>
  discard(): void
}

export interface BodySink {
  /** Of a buffer that is used for something else afterwards. */
  push(piece: Uint8Array): void
  end(): void
  fail(error: Error): void
}

const maxBufferedBytes = 64 * 1024
const wrongLength = (taken: number, size: number) => new Error(`The object store sent ${taken} of ${size} bytes`)

/** What is handed out is in memory of its own. */
export function openBody(flow: Flow, idleMs: number): BodyStream & BodySink {
  let pieces: Uint8Array[] = []
  let waiting = 0
  let isPaused = false
  let isTaken = false
  let isOver = false
  let failure: Error | null = null
  let target: Buffer | null = null
  let filled = 0
  let wake: (() => void) | null = null

  // Of ours, since undici's is up to half a second late, and does not see that nobody takes what is there.
  const idle = setTimeout(onIdle, idleMs)

  function onIdle() {
    if (!isPaused) stop(new Unavailable('the object store', new Error(`No byte came for ${idleMs} ms`)))
    else if (!isTaken) stop(new Error('Nobody reads the object'))
  }

  function notify() {
    const woken = wake
    wake = null
    woken?.()
  }

  function stop(error: Error) {
    if (isOver) return
    fail(error)
    flow.abort(error)
  }

  function fail(error: Error) {
    if (isOver) return
    isOver = true
    failure = error
    pieces = []
    clearTimeout(idle)
    notify()
  }

  function push(piece: Uint8Array) {
    if (isOver) return
    idle.refresh()
    if (target !== null) return fill(target, piece)
    pieces.push(ownCopy(piece))
    waiting += piece.length
    if (waiting >= maxBufferedBytes && !isPaused) {
      isPaused = true
      flow.pause()
    }
    notify()
  }

  function fill(buffer: Buffer, piece: Uint8Array) {
    if (filled + piece.length > buffer.length) return stop(wrongLength(filled + piece.length, buffer.length))
    buffer.set(piece, filled)
    filled += piece.length
  }

  function take() {
    if (isTaken) throw new Error('An object is read once')
    isTaken = true
  }

  function flowOn() {
    if (!isPaused || waiting >= maxBufferedBytes) return
    isPaused = false
    if (isOver) return
    idle.refresh()
    flow.resume()
  }

  async function whole(size: number): Promise<Buffer> {
    take()
    try {
      const buffer = Buffer.allocUnsafeSlow(size)
      for (const piece of pieces) {
        fill(buffer, piece)
        giveBack(piece)
      }
      target = buffer
      pieces = []
      waiting = 0
      flowOn()
      while (!isOver) await new Promise<void>((resolve) => (wake = resolve))
      if (failure !== null) throw failure
      if (filled !== size) throw wrongLength(filled, size)
      return buffer
    } catch (error) {
      stop(error as Error)
      throw error
    }
  }

  /** No generator: one that is ended before its first step would not let go. */
  function chunks(size: number | null): AsyncIterable<Uint8Array> {
    let taken = 0
    let isBegun = false
    let isLeft = false
    async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
      if (!isBegun) take()
      isBegun = true
      while (!isLeft) {
        const piece = pieces.shift()
        if (piece !== undefined) {
          waiting -= piece.length
          taken += piece.length
          flowOn()
          return { done: false, value: piece }
        }
        if (failure !== null) throw failure
        if (isOver && size !== null && taken !== size) throw wrongLength(taken, size)
        if (isOver) break
        await new Promise<void>((resolve) => (wake = resolve))
      }
      return { done: true, value: undefined }
    }
    async function leave(): Promise<IteratorResult<Uint8Array, undefined>> {
      isLeft = true
      discard()
      return { done: true, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  }

  async function upTo(most: number) {
    const taken: Uint8Array[] = []
    let bytes = 0
    for await (const piece of chunks(null)) {
      taken.push(piece)
      bytes += piece.length
      if (bytes > most) throw new Error(`The object store answered with more than ${most} bytes`)
    }
    return Buffer.concat(taken, bytes)
  }

  const discard = () => stop(new Error('The object was let go'))

  return {
    push,
    end() {
      isOver = true
      clearTimeout(idle)
      notify()
    },
    fail,
    whole,
    chunks,
    upTo,
    discard,
  }
}

function ownCopy(piece: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(piece.length)
  copy.set(piece)
  return copy
}
