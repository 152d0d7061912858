import type { Clock } from '../lib/clock.ts'
import { acknowledgementOf, type News } from './acknowledgement.ts'
import type { Component } from './component.ts'
import type { Channel } from './outbox.ts'
import type { Notice } from './publication.ts'
import type { Registry } from './registry.ts'
import type { Outcome } from './status-page.ts'
import { isDown } from './statuses.ts'
import { publicationOf, wantedAt } from './wanted.ts'

const retryMs = 60_000

/** Tells an alert channel that has got an outage who acknowledged it. */
export function createNews({ name }: Channel, clock: Clock, registry: Registry) {
  /** When to tell of an acknowledgement again, by component, on the monotonic clock; in flight until Infinity. */
  const nextAt = new Map<string, { readonly of: number; readonly at: number }>()

  const noticeOf = (id: string): Notice | null => {
    const component = registry.find(id)
    if (!component) return null
    const rules = registry.rulesOf(id)
    const acknowledgement = acknowledgementOf(component)
    const publication = publicationOf(component, name)
    const target = rules.targets.find((each) => each.name === name)
    const state = acknowledgement?.news[name]
    if (!acknowledgement || !publication || !target || state === undefined) return null
    const { publishedStatus: status, sequence } = publication
    const wanted = wantedAt(target, component, rules)
    if (wanted === null || status === null || !isDown(status)) return null
    const { by, at } = acknowledgement
    const mayRepeat = state === 'sending' && ({ mayRepeat: true } as const)
    return { ...wanted, status, previousStatus: status, sequence, acknowledged: { by, at }, ...mayRepeat }
  }

  const isDue = ({ id, acknowledgement }: Component): boolean => {
    const next = nextAt.get(id)
    return next === undefined || next.of !== acknowledgement?.at || clock.monotonic() >= next.at
  }

  /** False if it could not be saved, or if the outage was acknowledged anew. */
  const save = (id: string, of: number, state: News | null): Promise<boolean> =>
    registry.exclusive(id, async () => {
      const component = registry.find(id)
      if (!component || component.acknowledgement?.at !== of) return false
      return registry.change(component, { kind: 'news', target: name, state }).then(
        () => true,
        () => false,
      )
    })

  return {
    /** The components of which the channel is to be told now. */
    due: (): readonly string[] =>
      [...registry.all()]
        .filter((each) => each.acknowledgement && isDue(each))
        .filter(({ id }) => noticeOf(id) !== null)
        .map(({ id }) => id),
    /** Saved as possibly sent before it is sent: after a crash, the next message says that it may be a repetition. */
    async take(id: string): Promise<Notice | null> {
      const notice = noticeOf(id)
      if (!notice?.acknowledged) return null
      const of = notice.acknowledged.at
      nextAt.set(id, { of, at: Infinity })
      if (await save(id, of, 'sending')) return notice
      nextAt.set(id, { of, at: clock.monotonic() + retryMs })
      return null
    },
    async end({ componentId, acknowledged }: Notice, { kind }: Outcome): Promise<void> {
      if (!acknowledged) return
      const of = acknowledged.at
      if (nextAt.get(componentId)?.of === of) nextAt.set(componentId, { of, at: clock.monotonic() + retryMs })
      if (kind !== 'uncertain') await save(componentId, of, kind === 'accepted' ? null : 'waiting')
    },
    forget: (id: string): void => void nextAt.delete(id),
  }
}
