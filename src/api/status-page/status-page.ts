import type { PublicComponent } from '../../config/status-page.ts'
import { apiHeaders, type Headers, pageHeaders } from '../../http/headers.ts'
import { type PreparedText, prepareText } from '../../http/prepared-text.ts'
import type { Clock } from '../../lib/clock.ts'
import { once } from '../../lib/once.ts'
import type { BadgeDays, StatusView } from './view.ts'

export const types = {
  page: 'text/html; charset=utf-8',
  style: 'text/css; charset=utf-8',
  feed: 'application/atom+xml; charset=utf-8',
  badge: 'image/svg+xml',
} as const

const imageHeaders: Headers = { ...apiHeaders, 'Cache-Control': 'no-cache' }

interface StatusPageDeps {
  readonly workers: readonly string[] | null
  readonly components: readonly PublicComponent[]
  readonly clock: Clock
  baseUrl(): string
}

export type PublicStatus = ReturnType<typeof createStatusPage>

/** Output is cached until the worker is asked again. Printers are loaded on first use. */
export function createStatusPage({ baseUrl, ...deps }: StatusPageDeps) {
  const reader = once(async () => (await import('./reader.ts')).createStatusReader(deps))
  const view = async () => (await reader())()
  let of: StatusView | null = null
  let texts = new Map<string, Promise<PreparedText>>()

  const prepared = async (name: string, print: (view: StatusView) => Promise<PreparedText>): Promise<PreparedText> => {
    const now = await view()
    if (of !== now) {
      of = now
      texts = new Map()
    }
    const text = texts.get(name) ?? print(now)
    texts.set(name, text)
    return text
  }

  return {
    view,
    style: once(async () => {
      const { styleOf } = await import('../../reference/documents.ts')
      return prepareText(types.style, styleOf(['base', 'frame', 'status']), pageHeaders())
    }),
    page: () =>
      prepared('page', async (now) =>
        prepareText(types.page, (await import('./page.ts')).printStatusPage(now), pageHeaders()),
      ),
    feed: () =>
      prepared('feed', async (now) =>
        prepareText(types.feed, (await import('./feed.ts')).printFeed(now, baseUrl()), imageHeaders),
      ),
    /** Null for a component that is not public. */
    async badge(id: string, days: BadgeDays | undefined): Promise<PreparedText | null> {
      if (!deps.components.some((each) => each.id === id)) return null
      return prepared(`badge ${days} ${id}`, async (now) => {
        const component = now.components.find((each) => each.id === id)
        const { printBadge } = await import('./badge.ts')
        return prepareText(types.badge, component ? printBadge(component, days) : '', imageHeaders)
      })
    },
  }
}
