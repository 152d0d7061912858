import type { Clock } from '../lib/clock.ts'
import type { Notice } from './publication.ts'
import type { Outcome } from './status-page.ts'
import type { Status } from './statuses.ts'

interface SentPush {
  readonly at: number
  readonly status: Status
  readonly outcome: Outcome['kind']
  readonly reason: string | null
  /** Repeats an outage that the alert channel already got. */
  readonly isReminder: boolean
  /** Tells the alert channel that somebody acknowledged the outage. */
  readonly isAcknowledgement: boolean
}

/** A push of any component. */
export interface Delivery extends SentPush {
  readonly componentId: string
}

const maxPerComponent = 5
const maxInAll = 20

export type Deliveries = ReturnType<typeof createDeliveries>

/** The last pushes to a target, newest first. */
export function createDeliveries(clock: Clock) {
  const byComponent = new Map<string, readonly SentPush[]>()
  let all: readonly Delivery[] = []
  return {
    add({ componentId, status, acknowledged }: Notice, outcome: Outcome, isRepeated = false): void {
      const isAcknowledgement = acknowledged !== undefined
      const isReminder = isRepeated && !isAcknowledgement
      const { kind, reason = null } = outcome
      const sent = { at: clock.now(), status, outcome: kind, reason, isReminder, isAcknowledgement }
      byComponent.set(componentId, [sent, ...(byComponent.get(componentId) ?? [])].slice(0, maxPerComponent))
      all = [{ componentId, ...sent }, ...all].slice(0, maxInAll)
    },
    all: (): readonly Delivery[] => all,
    of: (componentId: string): readonly SentPush[] => byComponent.get(componentId) ?? [],
    forget: (componentId: string): void => void byComponent.delete(componentId),
  }
}
