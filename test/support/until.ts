// Captured before any test replaces the timers.
const { setImmediate: nextTurn, setInterval: every, clearInterval: never, setTimeout: later } = globalThis

/** Counted in ticks of this process, not in time: on a busy machine ticks come later, and so does the timeout. */
const patience = { tickMs: 100, ticks: 300 }

/** Resolves like `promise`, or times out with `what` it waited for. */
export async function inTime<T>(promise: T | Promise<T>, what: string | (() => string)): Promise<T> {
  // Created here, so that its stack names the waiting line.
  const error = new Error()
  let ticks = 0
  let timer: ReturnType<typeof every> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = every(() => {
      if (++ticks < patience.ticks) return
      error.message = `gave up waiting: ${typeof what === 'string' ? what : what()}`
      reject(error)
    }, patience.tickMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    never(timer)
  }
}

const pauseMs = (turn: number) => (turn < 70 ? 5 : turn < 110 ? 25 : 100)

/** Polls at every turn of the event loop, later less often, until `isSo`; fails with `what` or the condition. */
export async function until(isSo: () => unknown, what: string | (() => string) = String(isSo)): Promise<void> {
  let isOver = false
  const asking = async () => {
    for (let turn = 0; !isOver && !(await isSo()); turn++)
      await new Promise<void>((resolve) => void (turn < 50 ? nextTurn(resolve) : later(resolve, pauseMs(turn))))
  }
  try {
    await inTime(asking(), what)
  } finally {
    isOver = true
  }
}

/** Waits for turns of the event loop: anything begun by mistake would show by then. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => nextTurn(resolve))
}

/** For what a process measures by its real clock: waits at least this long. Waiting longer must not fail anything. */
export async function atLeast(ms: number): Promise<void> {
  await new Promise((resolve) => later(resolve, ms))
}
