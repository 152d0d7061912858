import { constants } from 'node:os'
import { sameSignalMs } from '../process/signals.ts'
import type { Cli } from './cli-context.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Carries the exit code that shells use for the signal: 130 for Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: (typeof signals)[number], message: string) {
    super(message)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/** The first signal aborts `act`; a later one ends the process at once. */
export async function interruptible<T>(
  { signals: source }: Pick<Cli, 'signals'>,
  act: (signal: AbortSignal) => Promise<T>,
  message = 'Interrupted; run the same command again to continue.',
): Promise<T> {
  const control = new AbortController()
  let askedAt = 0
  const handlers = signals.map((name) => {
    const onSignal = () => {
      if (!control.signal.aborted) {
        askedAt = performance.now()
        control.abort(new Interrupted(name, message))
      } else if (performance.now() - askedAt > sameSignalMs) process.exit(128 + constants.signals[name])
    }
    source.on(name, onSignal)
    return () => source.off(name, onSignal)
  })
  try {
    return await act(control.signal)
  } finally {
    for (const remove of handlers) remove()
  }
}
