import type { Component, Push } from './component.ts'
import type { Notice, PushEnd, Wanted } from './publication.ts'
import type { Registry } from './registry.ts'
import type { Outcome } from './status-page.ts'
import { publicationOf, toldOf, wantedAt } from './wanted.ts'

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
  /** What may have arrived is sent unchanged. */
  const isRedated = (component: Component, wanted: Wanted, notice: Notice): boolean => {
    const publication = publicationOf(component, target.name)
    if (!target.isAlert || publication?.push.kind !== 'sending' || publication.push.before.kind !== 'idle') return false
    const { reportedAt, downSince } = toldOf(target, wanted, component, publication)
    return reportedAt !== notice.reportedAt || downSince !== notice.downSince
  }
  return {
    isCurrent,
    /** Whether the push of the component repeats one that was not accepted. */
    isRetry(componentId: string): boolean {
      const push = pushOf(componentId)
      return push?.kind === 'sending' && push.before.kind !== 'idle'
    },
    /**
     * The notice to send now that its turn has come; null if it is no longer wanted. In an alert, a status that changed
     * back meanwhile has the times of its last change.
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
