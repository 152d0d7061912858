/** Of the six connections that a browser opens to a server over HTTP/1.1: the others are for everything else. */
const maxAtOnce = 4
/** The service answers 1,000 requests from an address in two minutes without delay. */
const maxPerMinute = 300
const minuteMs = 60_000

interface Waiting {
  readonly start: () => void
}

const waiting = new Set<Waiting>()
/** When each of the last minute began, the oldest first. */
const begun: number[] = []
let underWay = 0
let pausedUntil = 0
let timer: ReturnType<typeof setTimeout> | undefined

function next(): void {
  clearTimeout(timer)
  const now = Date.now()
  while (begun[0] !== undefined && begun[0] <= now - minuteMs) begun.shift()
  for (const each of waiting) {
    if (underWay === maxAtOnce) return
    const [oldest = now] = begun
    const waitMs = Math.max(pausedUntil - now, begun.length < maxPerMinute ? 0 : oldest + minuteMs - now)
    if (waitMs > 0) {
      timer = setTimeout(next, waitMs)
      return
    }
    waiting.delete(each)
    underWay++
    begun.push(now)
    each.start()
  }
}

/** Calls `start` when the picture may be requested. Call the result when it has been loaded or is no longer wanted. */
export function enqueuePicture(start: () => void): () => void {
  let hasStarted = false
  let hasEnded = false
  const entry = {
    start() {
      hasStarted = true
      start()
    },
  }
  waiting.add(entry)
  next()
  return () => {
    if (hasEnded) return
    hasEnded = true
    waiting.delete(entry)
    if (hasStarted) underWay--
    next()
  }
}

/** Waits for a turn; call the result at its end. Rejects when aborted. */
export const pictureTurn = (signal: AbortSignal): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const end = enqueuePicture(() =>
      resolve(() => {
        signal.removeEventListener('abort', abort)
        end()
      }),
    )
    function abort() {
      end()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
  })

/** The service has asked for patience. */
export function pausePictures(seconds: number): void {
  pausedUntil = Math.max(pausedUntil, Date.now() + seconds * 1_000)
}
