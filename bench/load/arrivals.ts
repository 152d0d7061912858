import { setTimeout as sleep } from 'node:timers/promises'

export interface Clock {
  now(): number
  sleep(ms: number): Promise<unknown>
}

const realClock: Clock = { now: () => performance.now(), sleep }

export interface Arrivals {
  readonly perSecond: number
  readonly durationMs: number
  /** Its latency counts from `dueAt`, when it should have been made: a late driver hides nothing. */
  readonly call: (dueAt: number, index: number) => Promise<unknown>
  readonly clock?: Clock
}

/** An open loop: makes calls at a fixed rate from now on, without waiting for earlier ones; ends when all have ended. */
export async function atRate({ perSecond, durationMs, call, clock = realClock }: Arrivals): Promise<void> {
  const startedAt = clock.now()
  const count = Math.round((perSecond * durationMs) / 1000)
  const pending = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  for (let index = 0; index < count && failure === undefined; index += 1) {
    const dueAt = startedAt + (index * 1000) / perSecond
    const waitMs = dueAt - clock.now()
    // Timers fire late rather than early; a late one catches up.
    if (waitMs > 0) await clock.sleep(waitMs)
    const calling: Promise<void> = call(dueAt, index).then(
      () => void pending.delete(calling),
      (error) => {
        failure ??= { error }
      },
    )
    pending.add(calling)
  }
  await Promise.all(pending)
  if (failure !== undefined) throw failure.error
}
