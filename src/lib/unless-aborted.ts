/** Settles like `outcome`, or rejects as soon as the signal aborts. */
export async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([outcome, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
