import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Component, Effect } from './component.ts'
import type { Notice } from './publication.ts'
import type { Outcome } from './status-page.ts'

export interface ComponentLog {
  changed(componentId: string, effects: readonly Effect[]): void
  /** Logs one line when failures begin, one a minute while they last, and one when they end. */
  pushed(target: string, notice: Notice, outcome: Outcome): void
  /** Logs one line when a heartbeat is late, and one when it arrives after all. */
  late(component: Component, isLate: boolean): void
  forget(componentId: string): void
}

const reminderMs = 60_000

export function createComponentLog(log: Logger, clock: Clock): ComponentLog {
  /** By component and target. */
  const warnedAt = new Map<string, number>()
  const lateIds = new Set<string>()
  return {
    changed(componentId, effects) {
      for (const effect of effects) {
        if (effect.kind === 'opened')
          log.warn({ componentId, incident: effect.incident.id }, 'heartbeat missed: incident opened')
        if (effect.kind === 'resolved') {
          const seconds = Math.round((effect.at - effect.incident.startedAt) / 1000)
          log.info({ componentId, incident: effect.incident.id, seconds }, 'heartbeat received: incident resolved')
        }
        if (effect.kind === 'moved')
          log.info({ componentId, from: effect.from, to: effect.to }, 'component status changed')
      }
    },
    pushed(target, { componentId, status }, outcome) {
      const key = `${componentId} ${target}`
      const last = warnedAt.get(key)
      const { reason, kind } = outcome
      if (kind === 'accepted') {
        if (reason !== undefined) log.warn({ componentId, target, status, reason }, 'a push was accepted only in part')
        if (last !== undefined) log.info({ componentId, target, status }, 'the status page accepts pushes again')
        warnedAt.delete(key)
        return
      }
      if (last !== undefined && clock.monotonic() - last < reminderMs) return
      warnedAt.set(key, clock.monotonic())
      log.warn({ componentId, target, status, reason, outcome: kind }, 'push to the status page failed')
    },
    late({ id: componentId, incident }, isLate) {
      if (isLate === lateIds.has(componentId)) return
      if (isLate) {
        lateIds.add(componentId)
        return log.warn({ componentId }, 'heartbeat late')
      }
      lateIds.delete(componentId)
      if (incident === null) log.info({ componentId }, 'late heartbeat received')
    },
    forget(componentId) {
      for (const key of warnedAt.keys()) if (key.startsWith(`${componentId} `)) warnedAt.delete(key)
      lateIds.delete(componentId)
    },
  }
}
