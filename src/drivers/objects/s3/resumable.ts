import type { ObjectReading } from '../../../images/object-store.ts'

interface Patience {
  /** How long what was handed over may stay untaken before the socket is missed, if others wait for one. */
  readonly restMs: number
  isCrowded(): boolean
  /** The same version from there on; null where it is not the current one any more. */
  resume(from: number): Promise<ObjectReading | null>
}

/**
 * A reading that gives its socket back while nobody takes its pieces and others need one, and goes on in the same
 * version later: a few dozen slow clients would hold every socket otherwise. `size` bytes come, from `start` on.
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
        if (next === null) throw new Error('The object was overwritten while it was read')
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
      // A generator that was never asked for anything would not notice that it is left.
      const leave = () => {
        discard()
        return begun.return()
      }
      return { [Symbol.asyncIterator]: () => ({ next: () => begun.next(), return: leave }) }
    },
    discard,
  }
}
