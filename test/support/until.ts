// Kept from before any test puts its own timers in their place.
const { setImmediate: nextTurn, setInterval: every, clearInterval: never, setTimeout: later } = globalThis

/**
 * Counted in ticks of this process, not measured: on a busy machine they come later, and so does the end of patience.
 */
const patience = { tickMs: 100, ticks: 300 }

/** Resolves with `promise`, or fails with what was waited for. */
export async function inTime<T>(promise: T | Promise<T>, what: string | (() => string)): Promise<T> {
  // Made here, so that its stack names the line that waits.
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

/**
 * Asks at every turn of the event loop, soon less often, until it is so; fails with `what`, or else with the condition.
 */
export async function until(isSo: () => unknown, what = String(isSo)): Promise<void> {
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

/** Turns of the event loop: what was begun by mistake would show by then. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => nextTurn(resolve))
}

/**
 * For what a process or a part measures by its own real clock: at least so long, and nothing may fail where it is
 * longer.
 */
export async function atLeast(ms: number): Promise<void> {
  await new Promise((resolve) => later(resolve, ms))
}
