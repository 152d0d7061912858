import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Component, Effect } from './component.ts'
import type { Notice } from './publication.ts'
import type { Outcome } from './status-page.ts'

const reminderMs = 60_000

const pushTexts = {
  failed: 'push to the status page failed',
  accepted: 'the status page accepts pushes again',
  inPart: 'a push was partly accepted',
}
const alertTexts = {
  failed: 'message to the alert channel failed; it will be retried',
  accepted: 'the alert channel accepts messages again',
  inPart: 'a message was partly accepted',
}

export type ComponentLog = ReturnType<typeof createComponentLog>

export function createComponentLog(log: Logger, clock: Clock) {
  /** By component and target, or only by target. */
  const warnedAt = new Map<string, number>()
  const lateIds = new Set<string>()
  const ended = (key: string, fields: object, { kind, reason }: Outcome, texts: typeof pushTexts): void => {
    const last = warnedAt.get(key)
    if (kind === 'accepted') {
      if (reason !== undefined) log.warn({ ...fields, reason }, texts.inPart)
      if (last !== undefined) log.info(fields, texts.accepted)
      warnedAt.delete(key)
      return
    }
    if (last !== undefined && clock.monotonic() - last < reminderMs) return
    warnedAt.set(key, clock.monotonic())
    log.warn({ ...fields, reason, outcome: kind }, texts.failed)
  }
  return {
    changed(componentId: string, effects: readonly Effect[]): void {
      for (const effect of effects) {
        if (effect.kind === 'ran' && effect.run.outcome === 'running' && effect.run.overlaps)
          log.warn({ componentId, rid: effect.run.rid }, 'a run started while another one was running')
        if (effect.kind === 'opened') {
          const cause = effect.incident.isRunLost ? 'run did not end in time' : 'heartbeat missed'
          log.warn({ componentId, incident: effect.incident.id }, `${cause}: incident opened`)
        }
        if (effect.kind === 'resolved') {
          const seconds = Math.round((effect.at - effect.incident.startedAt) / 1000)
          const cause = effect.isRetired ? 'component retired' : 'heartbeat received'
          log.info({ componentId, incident: effect.incident.id, seconds }, `${cause}: incident resolved`)
        }
        if (effect.kind === 'moved')
          log.info({ componentId, from: effect.from, to: effect.to }, 'component status changed')
      }
    },
    /** Logs one line when failures begin, one a minute while they last, and one when they end. */
    pushed: (target: string, { componentId, status }: Notice, outcome: Outcome): void =>
      ended(`${componentId} ${target}`, { componentId, target, status }, outcome, pushTexts),
    /** The same for a message to an alert channel. */
    notified(target: string, [first, ...others]: readonly Notice[], outcome: Outcome): void {
      const fields = others.length > 0 ? { components: others.length + 1 } : { componentId: first?.componentId }
      ended(` ${target}`, { target, ...fields }, outcome, alertTexts)
    },
    /** Logs one line when a heartbeat is late, and one when it arrives after all. */
    late({ id: componentId, incident }: Component, isLate: boolean): void {
      if (isLate === lateIds.has(componentId)) return
      if (isLate) {
        lateIds.add(componentId)
        return log.warn({ componentId }, 'heartbeat late')
      }
      lateIds.delete(componentId)
      if (incident === null) log.info({ componentId }, 'late heartbeat received')
    },
    forget(componentId: string): void {
      for (const key of warnedAt.keys()) if (key.startsWith(`${componentId} `)) warnedAt.delete(key)
      lateIds.delete(componentId)
    },
  }
}
