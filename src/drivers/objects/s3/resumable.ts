import type { ObjectReading } from '../../../images/object-store.ts'

interface Resuming {
  /** Of the first byte. */
  readonly start: number
  readonly size: number
  /** How long the consumer may pause before it loses its socket to others, if they need one. */
  readonly restMs: number
  isCrowded(): boolean
  /** The same version from there on; null if it is no longer current. */
  resume(from: number): Promise<ObjectReading | null>
}

/**
 * A reading that releases its socket while the consumer of its chunks pauses and others need one, and resumes the same
 * version later: otherwise a few dozen slow clients would hold every socket.
 */
export function resumable(first: ObjectReading, { start, size, restMs, isCrowded, resume }: Resuming): ObjectReading {
  let current = first
  let isOver = false

  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    const end = start + size
    let at = start
    let timer: NodeJS.Timeout | undefined
    let isResting = false
    const rest = () => {
      if (!isCrowded()) timer = setTimeout(rest, restMs).unref()
      else {
        isResting = true
        current.discard()
      }
    }
    try {
      for (;;) {
        for await (const piece of current.chunks()) {
          at += piece.length
          timer = setTimeout(rest, restMs).unref()
          yield piece
          clearTimeout(timer)
          if (isResting) break
        }
        if (!isResting || at === end) return
        isResting = false
        const next = await resume(at)
        if (next === null) throw new Error('the object was overwritten while it was read')
        current = next
        if (isOver) return
      }
    } finally {
      clearTimeout(timer)
      current.discard()
    }
  }

  function discard(): void {
    isOver = true
    current.discard()
  }

  return {
    ...first,
    chunks() {
      const begun = pieces()
      // A generator does not notice being left before its first chunk.
      const leave = () => {
        discard()
        return begun.return()
      }
      return { [Symbol.asyncIterator]: () => ({ next: () => begun.next(), return: leave }) }
    },
    discard,
  }
}
