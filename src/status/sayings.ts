import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Effect, Notice } from './component.ts'
import type { Outcome } from './status-page.ts'

export interface Sayings {
  happened(componentId: string, effects: readonly Effect[]): void
  /** One line when failures begin, each minute, and when they are over; not one for each try. */
  told(notice: Notice, outcome: Outcome): void
  forget(componentId: string): void
}

const againMs = 60_000

/** What is logged of components. */
export function createSayings(log: Logger, clock: Clock): Sayings {
  const saidAt = new Map<string, number>()
  return {
    happened(componentId, effects) {
      for (const effect of effects) {
        if (effect.kind === 'opened') log.warn({ componentId, incident: effect.incident.id }, 'a component is silent')
        if (effect.kind === 'resolved') {
          const seconds = Math.round((effect.at - effect.incident.startedAt) / 1000)
          log.info({ componentId, incident: effect.incident.id, seconds }, 'a component is heard again')
        }
        if (effect.kind === 'moved')
          log.info({ componentId, from: effect.from, to: effect.to }, 'a component has changed')
      }
    },
    told({ componentId, status }, outcome) {
      const last = saidAt.get(componentId)
      if (outcome.kind === 'accepted') {
        if (last !== undefined) log.info({ componentId, status }, 'the status page takes it again')
        saidAt.delete(componentId)
        return
      }
      if (last !== undefined && clock.monotonic() - last < againMs) return
      saidAt.set(componentId, clock.monotonic())
      log.warn({ componentId, status, reason: outcome.reason, outcome: outcome.kind }, 'the status page was not told')
    },
    forget: (componentId) => void saidAt.delete(componentId),
  }
}
