import type { Component, Moment, Rules } from './component.ts'
import { isDown } from './statuses.ts'
import { statusOf } from './wanted.ts'

/** Somebody takes care of an outage, so that nobody is reminded of it. */
export interface Acknowledgement {
  /** The name of a person or, since a link proves no person, of the channel that the link was sent to. */
  readonly by: string
  readonly at: number
  /** The outage that began then. */
  readonly downAt: number
  /** The alert channels to tell; with `sending`, a message may have arrived. */
  readonly news: Readonly<Record<string, News>>
}

export type News = 'waiting' | 'sending'

/** No alerts until then. */
export interface Mute {
  readonly until: number
  readonly by: string
}

/** What people decided about a component's alerts; null or unset if nothing. */
export interface Handled {
  /** Of the outage that began at its `downAt`. */
  readonly acknowledgement?: Acknowledgement | null
  readonly mute?: Mute | null
}

/** Of the present outage; null if there is none. */
export const acknowledgementOf = (component: Component): Acknowledgement | null => {
  const { acknowledgement = null, downAt } = component
  return acknowledgement?.downAt === downAt && isDown(statusOf(component)) ? acknowledgement : null
}

export function acknowledged(component: Component, by: string, now: Moment, { targets }: Rules): Component {
  const channels = targets.filter(({ isAlert }) => isAlert)
  const news = Object.fromEntries(channels.map(({ name }) => [name, 'waiting' as const]))
  return { ...component, acknowledgement: { by, at: now.wall, downAt: component.downAt, news } }
}

/** `null`: the channel has been told. */
export function withNews(component: Component, target: string, state: News | null): Component {
  const acknowledgement = acknowledgementOf(component)
  if (acknowledgement === null) return component
  const { [target]: _, ...others } = acknowledgement.news
  const news = state === null ? others : { ...others, [target]: state }
  return { ...component, acknowledgement: { ...acknowledgement, news } }
}

/** Its end is found by the check of deadlines. */
export const withoutPastMute = (component: Component, now: Moment): Component =>
  component.mute && now.wall >= component.mute.until ? { ...component, mute: null } : component
