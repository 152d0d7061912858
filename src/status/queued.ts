import type { Component, Push } from './component.ts'
import type { Notice, PushEnd, Wanted } from './publication.ts'
import type { Registry } from './registry.ts'
import type { Outcome } from './status-page.ts'
import { isDown } from './statuses.ts'
import { publicationOf, wantedAt } from './wanted.ts'

/** What has become of the pushes to a target that are queued or in flight. */
export function createQueued(target: { readonly name: string; readonly isAlert: boolean }, registry: Registry) {
  const pushOf = (componentId: string) => {
    const component = registry.find(componentId)
    return component && publicationOf(component, target.name)?.push
  }
  /** False if the component has been retired meanwhile. */
  const isCurrent = (notice: Notice): boolean => {
    const push = pushOf(notice.componentId)
    return push?.kind === 'sending' && push.notice === notice
  }
  /**
   * Whether the outage to be told ended and began anew meanwhile. A recovery is of the outage that was told, and what may
   * have arrived is sent unchanged.
   */
  const isRedated = (component: Component, wanted: Wanted, notice: Notice): boolean => {
    const publication = publicationOf(component, target.name)
    if (!target.isAlert || !isDown(wanted.status)) return false
    if (publication?.push.kind !== 'sending' || publication.push.before.kind !== 'idle') return false
    return wanted.reportedAt !== notice.reportedAt
  }
  return {
    isCurrent,
    /** Whether the push of the component repeats one that was not accepted. */
    isRetry(componentId: string): boolean {
      const push = pushOf(componentId)
      return push?.kind === 'sending' && push.before.kind !== 'idle'
    },
    /**
     * The notice to send now that its turn has come; null if it is no longer wanted. In an alert, an outage that ended
     * and began anew meanwhile has the time of its last beginning.
     */
    async latest(queued: Push): Promise<Notice | null> {
      const { notice } = queued
      const component = registry.find(notice.componentId)
      if (!component || !isCurrent(notice)) return null
      const wanted = wantedAt(target, component, registry.rulesOf(component.id))
      if (wanted?.status === notice.status && !isRedated(component, wanted, notice)) return notice
      const [following] = await registry.endPush(queued, { kind: 'overtaken' })
      return following?.notice ?? null
    },
  }
}

export const endOf = (outcome: Outcome, jitter: number): PushEnd =>
  outcome.kind === 'accepted' ? outcome : { ...outcome, jitter }
