import type { Clock } from './clock.ts'
import type { Counter, Histogram, Metrics } from './metrics.ts'

type MayAbort = Pick<AbortSignal, 'aborted'>

/** Measures the duration and failures of one operation. */
export class Operation {
  readonly #durations: Histogram
  readonly #errors: Counter
  readonly #clock: Clock
  readonly #isFailure: (error: unknown) => boolean

  constructor(durations: Histogram, errors: Counter, clock: Clock, isFailure: (error: unknown) => boolean) {
    this.#durations = durations
    this.#errors = errors
    this.#clock = clock
    this.#isFailure = isFailure
  }

  /** Returns the promise of `act`, without delaying it. */
  run<T>(act: () => Promise<T>, signal?: MayAbort): Promise<T> {
    const began = this.#clock.monotonic()
    const outcome = this.attempt(act)
    outcome.then(
      () => this.#end(began),
      (error) => {
        this.#end(began)
        this.fail(error, signal)
      },
    )
    return outcome
  }

  /** For a synchronous `act`: counts failures only. */
  attempt<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      this.fail(error)
      throw error
    }
  }

  /** An aborted operation does not count as failed. */
  fail(error: unknown, signal?: MayAbort): void {
    if (!signal?.aborted && this.#isFailure(error)) this.#errors.add()
  }

  #end(began: number): void {
    this.#durations.observe((this.#clock.monotonic() - began) / 1000)
  }
}

export type Operations = (name: string) => Operation

interface OperationsOptions {
  readonly clock: Clock
  readonly duration: { readonly name: string; readonly help: string }
  readonly errors: { readonly name: string; readonly help: string }
  readonly isFailure: (error: unknown) => boolean
}

const bounds = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createOperations(metrics: Metrics, options: OperationsOptions): Operations {
  const { clock, duration, errors, isFailure } = options
  const durations = metrics.histogram(duration.name, duration.help, bounds, ['operation'])
  const failures = metrics.counter(errors.name, errors.help, ['operation'])
  const known = new Map<string, Operation>()
  return (name) => {
    const operation = known.get(name) ?? new Operation(durations(name), failures(name), clock, isFailure)
    known.set(name, operation)
    return operation
  }
}
