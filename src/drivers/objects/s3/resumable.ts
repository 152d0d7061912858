import type { ObjectReading } from '../../../images/object-store.ts'

interface Patience {
  /** How long the consumer may pause before it loses its socket to others, if they need one. */
  readonly restMs: number
  isCrowded(): boolean
  /** The same version from there on; null if it is no longer current. */
  resume(from: number): Promise<ObjectReading | null>
}

/**
 * A reading of `size` bytes from `start` that releases its socket while the consumer pauses and others need one, and
 * resumes the same version later: otherwise a few dozen slow clients would hold every socket.
 */
export function resumable(
  first: ObjectReading,
  start: number,
  size: number,
  { restMs, isCrowded, resume }: Patience,
): ObjectReading {
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
    head: first.head,
    isGivenAway: first.isGivenAway ?? false,
    whole: () => first.whole(),
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
