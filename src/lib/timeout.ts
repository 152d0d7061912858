/**
 * Settles as `work` does or, once `ms` have passed, as `onTimeout` does; the work itself goes on. The timer keeps the
 * process alive unless `isRef` is false.
 */
export function withTimeout<T, L = never>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => L | PromiseLike<L> = () => {
    throw new Error(`no answer within ${ms} ms`)
  },
  isRef = true,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(Promise.try(onTimeout)), ms)
    if (!isRef) timer.unref()
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
