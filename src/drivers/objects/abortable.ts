import { unlessAborted } from '../../lib/unless-aborted.ts'

/** The signal ends it even if the next chunk never arrives. */
export async function* abortable<T>(body: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = body[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await unlessAborted(iterator.next(), signal)
      if (next.done) {
        isOver = true
        return
      }
      yield next.value
    }
  } finally {
    // Not awaited: a body that hangs would hang here too.
    if (!isOver) Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
