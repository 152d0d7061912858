import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'
import { errors } from './errors.ts'
import type { Outcome, StatusPage } from './status-page.ts'

/** A target as configured. */
interface TestedTarget {
  readonly name: string
  readonly page: Pick<StatusPage, 'kind' | 'address' | 'isAlert' | 'repeatEveryMs' | 'test'>
}

export interface TargetTest {
  readonly at: number
  readonly outcome: Outcome['kind'] | 'sending'
  readonly reason: string | null
}

interface TargetsDeps {
  readonly targets: readonly TestedTarget[]
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  /** How long a request waits for the target; the API allows 2 s for the whole request. */
  readonly waitMs?: number
}

const minIntervalMs = 10_000

export type Targets = ReturnType<typeof createTargets>

/** Tests each target at most once every 10 s. */
export function createTargets({ targets, clock, log, waitMs = 1_000 }: TargetsDeps) {
  const byName = new Map(targets.map((target) => [target.name, target]))
  const startedAt = new Map<string, number>()
  const last = new Map<string, TargetTest>()

  const send = async ({ name, page }: TestedTarget, at: number, address: string): Promise<TargetTest> => {
    const { outcome } = await page.test()
    const test = { at, outcome: outcome.kind, reason: outcome.reason ?? null }
    last.set(name, test)
    log.info({ target: name, address, outcome: test.outcome, reason: test.reason }, 'target tested')
    return test
  }

  return {
    all: targets,
    lastTest: (name: string): TargetTest | null => last.get(name) ?? null,
    /** Sends one request to the target. If it takes longer than `waitMs`, `lastTest` has the outcome later. */
    async test(name: string, address: string): Promise<TargetTest> {
      const target = byName.get(name) ?? refuse(errors.unknownTarget)
      const waitedMs = clock.monotonic() - (startedAt.get(name) ?? -Infinity)
      if (waitedMs < minIntervalMs)
        refuse(errors.testedRecently, { 'Retry-After': String(Math.ceil((minIntervalMs - waitedMs) / 1000)) })
      startedAt.set(name, clock.monotonic())
      const sending: TargetTest = { at: clock.now(), outcome: 'sending', reason: null }
      last.set(name, sending)
      return withTimeout(send(target, sending.at, address), waitMs, () => sending)
    },
  }
}
