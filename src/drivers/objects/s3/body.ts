import { giveBack } from '../../../lib/give-back.ts'
import { Unavailable } from '../../../lib/unavailable.ts'

/** Controls the socket that a body comes from. */
interface Flow {
  pause(): void
  resume(): void
  /** Destroys the socket. */
  abort(error: Error): void
}

/** The body of a response, consumed once. */
export interface BodyStream {
  /** Rejects unless it has exactly this size. */
  whole(size: number): Promise<Buffer>
  chunks(size: number): AsyncIterable<Uint8Array>
  /** For anything but an object; rejects if it is larger. */
  upTo(max: number): Promise<Buffer>
  discard(): void
}

const maxBufferedBytes = 64 * 1024
const wrongLength = (taken: number, size: number) => new Error(`The object store sent ${taken} of ${size} bytes`)

/** Copies what it returns. */
export function openBody(flow: Flow, idleMs: number) {
  let pieces: Uint8Array[] = []
  let waiting = 0
  let isPaused = false
  let isTaken = false
  let isOver = false
  let failure: Error | null = null
  let target: Buffer | null = null
  let filled = 0
  let wake: (() => void) | null = null

  // undici's own timeout is up to half a second late, and does not notice a consumer that has stopped.
  const idle = setTimeout(onIdle, idleMs)

  function onIdle() {
    if (!isPaused) stop(new Unavailable('the object store', new Error(`received nothing for ${idleMs} ms`)))
    else if (!isTaken) stop(new Error('the object was opened but not read'))
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

  /** The piece's memory is reused afterwards. */
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
    if (isTaken) throw new Error('an object can be read only once')
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

  /** No generator: one that is left before its first chunk would not close the socket. */
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

  async function upTo(max: number) {
    const taken: Uint8Array[] = []
    let bytes = 0
    for await (const piece of chunks(null)) {
      taken.push(piece)
      bytes += piece.length
      if (bytes > max) throw new Error(`The object store sent a response of more than ${max} bytes`)
    }
    return Buffer.concat(taken, bytes)
  }

  const discard = () => stop(new Error('the object was discarded'))

  return {
    push,
    end(): void {
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
