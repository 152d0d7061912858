import { html, type Markup } from '../../reference/markup.ts'
import { fillText, percentText, type Texts } from './texts/texts.ts'
import type { ComponentView } from './view.ts'

type Day = ComponentView['days'][number]

/** How much to draw: a page with many components has fewer bars, to stay small. */
export interface BarSize {
  /** 0: no bars. */
  readonly daysPerBar: number
  /** Whether each bar has a tooltip, which takes most of its bytes. */
  readonly hasTooltips: boolean
}

const maxNamedDays = 5

type Level = 'up' | 'some' | 'down' | 'none'

const levelOf = (percent: number | null): Level =>
  percent === null ? 'none' : percent === 100 ? 'up' : percent >= 95 ? 'some' : 'down'

/** The worse, the higher, so that the bars can be told apart without their colors. */
const tops: Readonly<Record<Level, number>> = { up: 0.5, some: 0.25, down: 0, none: 0.85 }

const shapeOf = (level: Level, { from, to }: Pick<Bar, 'from' | 'to'>) => `M${from} ${tops[level]}H${to}V1H${from}`

export const legend = ({ legend, levels }: Texts): Markup => html`<ul class="legend" aria-label="${legend}">
${(Object.keys(tops) as Level[]).map(
  (
    level,
  ) => html`<li><svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><path class="${level}" d="${shapeOf(level, { from: 0, to: 1 })}"/></svg>${levels[level]}</li>
`,
)}</ul>`

const worstOf = (days: readonly Day[]): number | null =>
  days.reduce<number | null>(
    (worst, { uptimePercent }) => (uptimePercent === null ? worst : Math.min(worst ?? 100, uptimePercent)),
    null,
  )

interface Bar {
  readonly from: number
  readonly to: number
  readonly percent: number | null
}

function barsOf(days: readonly Day[], daysPerBar: number): Bar[] {
  const bars: Bar[] = []
  for (let from = 0; from < days.length; from += daysPerBar) {
    const to = Math.min(from + daysPerBar, days.length)
    bars.push({ from, to, percent: worstOf(days.slice(from, to)) })
  }
  return bars
}

function withTooltips(bars: readonly Bar[], days: readonly Day[], texts: Texts): Markup[] {
  return bars.map((bar) => {
    const { from, to, percent } = bar
    const level = levelOf(percent)
    const [first = '', last = ''] = [days[from]?.day, days[to - 1]?.day]
    const when = first === last ? first : fillText(texts.days, { first, last })
    return html`<path class="${level}" d="${shapeOf(level, bar)}"><title>${when}: ${percentText(texts, percent)}</title></path>`
  })
}

/** All bars of a level as one shape. */
const withoutTooltips = (bars: readonly Bar[]): Markup[] =>
  [...Map.groupBy(bars, ({ percent }) => levelOf(percent))].map(
    ([level, all]) => html`<path class="${level}" d="${all.map((bar) => shapeOf(level, bar)).join('')}"/>`,
  )

/** The alternative text names the worst days. */
export function uptimeBars({ label, days, uptimePercent }: ComponentView, size: BarSize, texts: Texts): Markup | null {
  if (days.length === 0 || size.daysPerBar === 0) return null
  const bad = days
    .filter((day) => day.uptimePercent !== null && day.uptimePercent < 100)
    .sort((a, b) => (a.uptimePercent ?? 0) - (b.uptimePercent ?? 0))
  const named = bad.slice(0, maxNamedDays).map((day) => `${day.day} ${percentText(texts, day.uptimePercent)}`)
  const worst = {
    template: bad.length > named.length ? texts.badDaysAndMore : texts.badDays,
    values: { days: named.join(', '), count: bad.length - named.length },
  }
  const uptime = percentText(texts, uptimePercent.days90)
  const alternative = [
    fillText(texts.barsOf, { label, days: days.length, uptime }),
    ...(named.length > 0 ? [fillText(worst.template, worst.values)] : []),
  ].join(' ')
  const bars = barsOf(days, size.daysPerBar)
  const drawn = size.hasTooltips ? withTooltips(bars, days, texts) : withoutTooltips(bars)
  return html`<svg class="bars" viewBox="0 0 ${days.length} 1" preserveAspectRatio="none" role="img" aria-label="${alternative}">${drawn}</svg>
<p class="axis"><span>${fillText(texts.daysAgo, { days: days.length })}</span><span>${texts.today}</span></p>`
}
