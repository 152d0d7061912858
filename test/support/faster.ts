/*
 * Imported into a process (`fasterTime`) whose own checks would take seconds to notice: they come ten times as often.
 * Its time-outs stay as they are, since a busy machine needs them; FAST_TIMEOUT_MS is that of the part that hangs.
 */
const { setInterval: every, setTimeout: later } = globalThis
const now = performance.now.bind(performance)
const times = 10
const fast = Number(process.env.FAST_TIMEOUT_MS)

performance.now = () => now() * times
Object.assign(globalThis, {
  setInterval: (act: () => void, ms: number) => every(act, ms / times),
  setTimeout: (act: (...of: unknown[]) => void, ms: number, ...of: unknown[]) =>
    later(act, ms === fast ? ms / times : ms, ...of),
})

export {}
