/** The signal ends it even if the next chunk never arrives. Adds one listener in all, not one per chunk. */
export async function* abortable<T>(body: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = body[Symbol.asyncIterator]()
  let rejectNext = (_reason: unknown) => {}
  const onAbort = () => rejectNext(signal.reason)
  signal.addEventListener('abort', onAbort)
  let isOver = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectNext = reject
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
    // Not awaited: a body that hangs would hang here too.
    if (!isOver) Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
