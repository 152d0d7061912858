import { setTimeout as sleep } from 'node:timers/promises'

/** Calls at a fixed rate from now on, without waiting for what was called before; ends when all have ended. */
export async function atRate(
  perSecond: number,
  durationMs: number,
  call: (dueAt: number, index: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now()
  const count = Math.round((perSecond * durationMs) / 1000)
  const calls: Promise<unknown>[] = []
  for (let index = 0; index < count; index += 1) {
    const dueAt = startedAt + (index * 1000) / perSecond
    const waitMs = dueAt - performance.now()
    // A timer fires late rather than early; a late one makes up for what was missed.
    if (waitMs > 0) await sleep(waitMs)
    calls.push(call(dueAt, index))
  }
  await Promise.all(calls)
}
