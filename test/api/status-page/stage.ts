import type { TypeOf } from '../../../src/http/schema.ts'
import type { fullSummary } from '../../../src/status/summary.ts'

export type Summary = TypeOf<typeof fullSummary>

export const hostile = `<img src=x onerror=alert(1)> \u202egnp.exe 'so' "so" & <script>alert(1)</script>`
export const noon = '2026-06-01T12:00:00.000Z'
const minute = 60_000
const at = (ms: number) => new Date(Date.parse(noon) + ms).toISOString()
const dayBefore = (days: number) => at(-days * 1_440 * minute).slice(0, 10)

export const summaryComponent = (
  componentId: string,
  status: Summary['components'][number]['status'] = 'operational',
  seed = 0,
): Summary['components'][number] => ({
  componentId,
  status,
  since: at(-90 * minute),
  responseMs: { days7: null, days30: null, days90: null },
  days: Array.from({ length: 90 }, (_, index) => ({
    day: dayBefore(89 - index),
    upSeconds: 86_400 - (((index + seed) * 7_919) % 7) * 600,
    downSeconds: (((index + seed) * 7_919) % 7) * 600,
  })),
})

/** The response of a worker: all kinds of entries, with hostile texts. */
export const summaryOf = (components: Summary['components'], texts = 1): Summary => ({
  ok: true,
  at: noon,
  components,
  periods: components.flatMap(({ componentId }) => [
    {
      componentId,
      status: 'outage' as const,
      startedAt: at(-5 * minute),
      detectedAt: at(-5 * minute),
      endedAt: null,
      updates: [],
    },
    {
      componentId,
      status: 'degraded' as const,
      startedAt: at(-9_000 * minute),
      detectedAt: at(-9_000 * minute),
      endedAt: at(-8_000 * minute),
      updates: [],
    },
  ]),
  written: Array.from({ length: texts }, (_, index) => ({
    id: `written-${index}`,
    title: hostile.slice(0, 100),
    level: 'degraded' as const,
    resolvedAt: at(-minute),
    components: components.map(({ componentId }) => componentId),
    startedAt: at(-3 * minute),
    updates: [{ at: at(-2 * minute), stage: 'identified' as const, text: hostile }],
  })),
  maintenance: Array.from({ length: texts }, () => ({
    id: 'window-id',
    components: components.map(({ componentId }) => componentId),
    from: at(minute),
    until: at(60 * minute),
    text: hostile,
    state: 'planned' as const,
    announcedAt: at(-30 * minute),
    revision: 0,
  })),
  announcements: Array.from({ length: texts }, () => ({
    id: 'announcement-id',
    text: hostile,
    from: at(-minute),
    until: null,
    state: 'active' as const,
    announcedAt: at(-minute),
  })),
})
