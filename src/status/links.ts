import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { dayMs } from '../lib/timestamps.ts'
import { acknowledgementOf } from './acknowledgement.ts'
import type { Component } from './component.ts'
import type { Notice } from './publication.ts'
import type { StateStore } from './state-store.ts'
import { isDown, maxLinked } from './statuses.ts'
import { statusOf } from './wanted.ts'

/** A link in an alert, which acknowledges one outage and can do nothing else. The state has only a hash of its token. */
export interface Link {
  readonly hash: string
  readonly componentId: string
  /** When the outage began. */
  readonly downAt: number
  /** The channel that it was sent to. */
  readonly target: string
  readonly until: number
}

/** Its token follows. */
export const linkPath = '/acknowledge/'
const lifetimeMs = 7 * dayMs
const tokenBytes = 32
export const tokenPattern = '^[A-Za-z0-9_-]{43}$'
export const hashPattern = '^[0-9a-f]{64}$'
const hashLike = new RegExp(hashPattern)

export const hashOfToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** Who acknowledges by the link, since it proves no person. */
export const linkSentTo = (target: string) => `the link sent to ${target}`

interface LinksDeps {
  readonly store: Pick<StateStore, 'addLinks' | 'link'>
  readonly clock: Clock
  /** BASE_URL; null: no links. */
  readonly baseUrl: string | null
  find(componentId: string): Component | undefined
}

export type Links = ReturnType<typeof createLinks>

export function createLinks({ store, clock, baseUrl, find }: LinksDeps) {
  const isOpen = (component: Component | undefined): component is Component =>
    component !== undefined && isDown(statusOf(component)) && acknowledgementOf(component) === null

  return {
    /**
     * The notices, each outage with a new link unless there are many; the message is sent without links rather than not
     * at all.
     */
    async addTo(notices: readonly Notice[], target: string): Promise<readonly Notice[]> {
      const found = notices.map(({ componentId }) => find(componentId)).filter(isOpen)
      if (baseUrl === null || found.length === 0 || found.length > maxLinked) return notices
      const tokens = new Map(found.map(({ id }) => [id, randomBytes(tokenBytes).toString('base64url')]))
      const now = clock.now()
      const links = found.map(({ id: componentId, downAt }) => {
        const hash = hashOfToken(tokens.get(componentId) ?? '')
        return { hash, componentId, downAt, target, until: now + lifetimeMs }
      })
      try {
        await store.addLinks(links, now)
      } catch {
        return notices
      }
      return notices.map((notice) => {
        const token = tokens.get(notice.componentId)
        const isOutage = isDown(notice.status) && !notice.acknowledged
        return token && isOutage ? { ...notice, acknowledgeUrl: `${baseUrl}${linkPath}${token}` } : notice
      })
    },
    /** Null if the outage is over, or the link too old. */
    async outageOf(hash: string): Promise<{ readonly component: Component; readonly target: string } | null> {
      // No other text can be a link, and PostgreSQL rejects some.
      const link = hashLike.test(hash) ? await store.link(hash) : null
      const component = link && find(link.componentId)
      if (!link || !component || link.until <= clock.now() || link.downAt !== Math.round(component.downAt)) return null
      return isDown(statusOf(component)) ? { component, target: link.target } : null
    },
  }
}
