import type { PublicComponent } from '../../config/status-page.ts'
import type { Call } from '../../http/call.ts'
import { compress } from '../../http/content-coding.ts'
import { pageHeaders } from '../../http/headers.ts'
import { type PreparedText, prepareText } from '../../http/prepared-text.ts'
import { TextResponse } from '../../http/responses.ts'
import type { Clock } from '../../lib/clock.ts'
import { once } from '../../lib/once.ts'
import { createLogo, imageHeaders } from '../logo.ts'
import type { FrameSpec } from './frame.ts'
import type { PageSettings } from './page-settings.ts'
import type { StatuspageSummary } from './statuspage-schemas.ts'
import type { BadgeDays, ComponentView, StatusView } from './view.ts'

export const types = {
  page: 'text/html; charset=utf-8',
  style: 'text/css; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  feed: 'application/atom+xml; charset=utf-8',
  calendar: 'text/calendar; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
} as const

interface StatusPageDeps {
  readonly workers: readonly string[] | null
  readonly components: readonly PublicComponent[]
  readonly settings: PageSettings
  readonly clock: Clock
  awaySince(): number | null
  baseUrl(): string
}

export type PublicStatus = ReturnType<typeof createStatusPage>

/** Output is cached until the worker is asked again. Printers are loaded on first use. */
export function createStatusPage({ baseUrl, settings, ...deps }: StatusPageDeps) {
  const reader = once(async () => (await import('./reader.ts')).createStatusReader(deps))
  const view = async () => (await reader()).view()
  const script = once(async () => {
    const { statusScript, integrityOf } = await import('../../reference/documents.ts')
    return { text: statusScript(), integrity: integrityOf(statusScript()) }
  })
  let of: StatusView | null = null
  let texts = new Map<string, Promise<PreparedText>>()

  const prepared = async (name: string, print: (view: StatusView) => Promise<PreparedText>): Promise<PreparedText> => {
    const now = await view()
    if (of !== now) {
      of = now
      texts = new Map()
    }
    const current = texts
    const text = current.get(name) ?? print(now)
    current.set(name, text)
    // The next visitor may have it.
    text.catch(() => current.delete(name))
    return text
  }

  /** A page in the language that its visitor prefers. */
  const page = async (call: Call, name: string, print: (view: StatusView, spec: FrameSpec) => Promise<string>) => {
    const { spec, headers } = await inLanguageOf(call)
    const text = await prepared(`${name} ${spec.texts.language}`, async (now) =>
      prepareText(types.page, await print(now, spec), headers),
    )
    return text(call)
  }

  const inLanguageOf = async ({ req }: Call) => {
    const { textsFor } = await import('./texts/texts.ts')
    const texts = textsFor(req.headers['accept-language'])
    const { integrity } = await script()
    const spec: FrameSpec = { settings, texts, integrity }
    const headers = {
      ...pageHeaders(`'${integrity}'`),
      Vary: 'Accept-Language',
      'Content-Language': texts.language,
    }
    return { spec, headers }
  }

  return {
    view,
    style: once(async () => {
      const { styleOf } = await import('../../reference/documents.ts')
      const brand = settings.color === null ? '' : `\n:root {\n  --brand: ${settings.color};\n}\n`
      return prepareText(types.style, styleOf(['base', 'frame', 'status']) + brand, pageHeaders())
    }),
    script: once(async () => prepareText(types.script, (await script()).text, pageHeaders())),
    logo: createLogo(settings.logo),
    page: (call: Call) =>
      page(call, 'page', async (now, spec) =>
        (await import('./page.ts')).printStatusPage(now, spec, (text) => compress(text, 'gzip')),
      ),
    /** Null if it is not among those that the page has. One that was opened since the last reading is found too. */
    async incidentPage(call: Call, id: string): Promise<TextResponse | null> {
      const { findIncident } = await import('./incidents.ts')
      const known = await view()
      if (known.unknownSince !== null) return null
      const found = findIncident(known, id) ?? findIncident(await (await reader()).viewAnew(), id)
      if (!found) return null
      const { printIncidentPage } = await import('./incident-page.ts')
      const print = async (now: StatusView, spec: FrameSpec) =>
        printIncidentPage(now, { ...spec, root: '../../' }, findIncident(now, id) ?? found)
      return page(call, `incident ${id}`, print)
    },
    /** What a browser gets instead of a message for programs. */
    async unknownIncidentPage(call: Call, status: number): Promise<TextResponse> {
      const { printUnknownIncidentPage } = await import('./incident-page.ts')
      const { spec, headers } = await inLanguageOf(call)
      const text = printUnknownIncidentPage(await view(), { ...spec, root: '../../' })
      return new TextResponse(status, types.page, text, { ...headers, 'Cache-Control': 'no-store' })
    },
    historyPage: (call: Call) =>
      page(call, 'history', async (now, spec) =>
        (await import('./incident-page.ts')).printHistoryPage(now, { ...spec, root: '../' }),
      ),
    feed: () =>
      prepared('feed', async (now) => {
        const { printFeed } = await import('./feed.ts')
        return prepareText(types.feed, printFeed(now, baseUrl(), settings.title ?? 'Status'), imageHeaders)
      }),
    /** Null while no worker responds: a calendar without entries would delete those of its subscribers. */
    async calendar(): Promise<PreparedText | null> {
      if ((await view()).unknownSince !== null) return null
      return prepared('calendar', async (now) => {
        const { printCalendar } = await import('./calendar.ts')
        return prepareText(types.calendar, printCalendar(now, baseUrl(), settings.title ?? 'Status'), imageHeaders)
      })
    },
    /** In the shape of Statuspage; null while no worker responds. */
    async statuspage(): Promise<StatuspageSummary | null> {
      const now = await view()
      if (now.unknownSince !== null) return null
      const { statuspageOf } = await import('./statuspage.ts')
      return statuspageOf(now, { title: settings.title ?? 'Status', baseUrl: baseUrl() })
    },
    isPublic: (id: string): boolean => deps.components.some((each) => each.id === id),
    badge: (id: string, days: BadgeDays | undefined, format: 'svg' | 'json'): Promise<PreparedText> =>
      prepared(`badge ${days} ${id} ${format}`, async ({ components }) => {
        const { printBadge, printEndpointBadge } = await import('./badge.ts')
        const component = components.find((each) => each.id === id) as ComponentView
        return format === 'svg'
          ? prepareText(types.svg, printBadge(component, days), imageHeaders)
          : prepareText(types.json, printEndpointBadge(component, days), imageHeaders)
      }),
  }
}
