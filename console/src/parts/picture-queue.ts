/** Of the six connections that a browser opens to a server over HTTP/1.1: the others are for everything else. */
const maxAtOnce = 4
/** The service answers 1,000 requests from an address in two minutes without delay. */
const maxPerMinute = 300
/** Of those, what is not in view may take: the rest is for what is. */
export const maxTurnsPerMinute = 200
const minuteMs = 60_000

interface Waiting {
  readonly start: () => void
  /** It waits while as many began in the last minute. */
  readonly most: number
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
  let soonestMs = Infinity
  for (const each of waiting) {
    if (underWay === maxAtOnce) return
    const before = begun.at(-each.most)
    const waitMs = Math.max(pausedUntil - now, before === undefined ? 0 : before + minuteMs - now)
    if (waitMs > 0) {
      soonestMs = Math.min(soonestMs, waitMs)
      continue
    }
    waiting.delete(each)
    underWay++
    begun.push(now)
    each.start()
  }
  if (soonestMs < Infinity) timer = setTimeout(next, soonestMs)
}

/** Calls `start` when the picture may be requested. Call the result when it has been loaded or is no longer wanted. */
export function enqueuePicture(start: () => void, most = maxPerMinute): () => void {
  let hasStarted = false
  let hasEnded = false
  const entry = {
    most,
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

/** Waits for a turn of what is not in view; call the result at its end. Rejects when aborted. */
export const pictureTurn = (signal: AbortSignal): Promise<() => void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const start = () =>
      resolve(() => {
        signal.removeEventListener('abort', abort)
        end()
      })
    const end = enqueuePicture(start, maxTurnsPerMinute)
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
