/** Settles like `work` or, after `ms`, like `onTimeout`; `work` is not cancelled. */
export function withTimeout<T, L = never>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => L | PromiseLike<L> = () => {
    throw new Error(`no response within ${ms} ms`)
  },
  isRef = true,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => Promise.try(onTimeout).then(resolve, reject), ms)
    if (!isRef) timer.unref()
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
