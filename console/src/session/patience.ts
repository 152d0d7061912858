import { isAway } from './queries.ts'

const maxAttempts = 5
const pauseMs = 5_000

/**
 * Repeats it as soon as the service allows, if that asks for patience. Throws what fails otherwise. `onWait` is told why
 * it waits, and by null that it no longer does.
 */
export async function withPatience<T>(
  act: () => Promise<T>,
  signal: AbortSignal,
  onWait: (why: unknown) => void = () => {},
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await act()
    } catch (error) {
      if (!isAway(error) || attempts === maxAttempts || signal.aborted) throw error
      onWait(error)
      await pause(error.retryAfterMs ?? pauseMs, signal)
      onWait(null)
      if (signal.aborted) throw error
    }
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
