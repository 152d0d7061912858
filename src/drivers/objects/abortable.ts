/** The signal ends it even where the next piece never comes, and leaves no reaction behind for each piece. */
export async function* abortable<T>(body: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = body[Symbol.asyncIterator]()
  let breakOff = (_reason: unknown) => {}
  const onAbort = () => breakOff(signal.reason)
  signal.addEventListener('abort', onAbort)
  let isOver = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        breakOff = reject
        iterator.next().then(resolve, reject)
      })
      if (next.done) {
        isOver = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not waited for: a body that hangs would hang here too.
    if (!isOver) Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
