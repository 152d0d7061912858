import { html, type Markup } from '../../reference/markup.ts'
import { percentText } from './texts.ts'
import type { ComponentView } from './view.ts'

type Day = ComponentView['days'][number]

/** How much to draw: a page with many components has fewer bars, to stay small. */
export interface BarSize {
  /** 0: no bars. */
  readonly daysPerBar: number
  /** Whether adjacent bars of the same look are merged. */
  readonly isMerged: boolean
}

const maxNamedDays = 5

type Level = 'up' | 'some' | 'down' | 'none'

const levelOf = (percent: number | null): Level =>
  percent === null ? 'none' : percent === 100 ? 'up' : percent >= 95 ? 'some' : 'down'

/** The worse, the higher, so that the bars can be told apart without their colors. */
const tops: Readonly<Record<Level, number>> = { up: 0.5, some: 0.25, down: 0, none: 0.85 }
const levelNames: Readonly<Record<Level, string>> = {
  up: 'No downtime',
  some: 'Up at least 95 %',
  down: 'Up less than 95 %',
  none: 'No data',
}

const bar = (level: Level, from: number, to: number, title: Markup | null) =>
  html`<path class="${level}" d="M${from} ${tops[level]}H${to}V1H${from}">${title}</path>`

export const legend = (): Markup => html`<ul class="legend" aria-label="What the bars mean">
${(Object.keys(tops) as Level[]).map(
  (
    level,
  ) => html`<li><svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">${bar(level, 0, 1, null)}</svg>${levelNames[level]}</li>
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

function barsOf(days: readonly Day[], { daysPerBar, isMerged }: BarSize): Bar[] {
  const bars: Bar[] = []
  for (let from = 0; from < days.length; from += daysPerBar) {
    const to = Math.min(from + daysPerBar, days.length)
    const percent = worstOf(days.slice(from, to))
    const last = bars.at(-1)
    if (isMerged && last && last.percent === percent) bars[bars.length - 1] = { ...last, to }
    else bars.push({ from, to, percent })
  }
  return bars
}

/** Each bar has a tooltip; the alternative text names the worst days. */
export function uptimeBars({ label, days, uptimePercent }: ComponentView, size: BarSize): Markup | null {
  if (days.length === 0 || size.daysPerBar === 0) return null
  const bad = days
    .filter((day) => day.uptimePercent !== null && day.uptimePercent < 100)
    .sort((a, b) => (a.uptimePercent ?? 0) - (b.uptimePercent ?? 0))
  const named = bad.slice(0, maxNamedDays).map((day) => `${day.day} ${percentText(day.uptimePercent)}`)
  const others = bad.length > named.length ? `, and ${bad.length - named.length} more days` : ''
  const worst = named.length > 0 ? ` Below 100 %: ${named.join(', ')}${others}.` : ''
  const alternative = `Uptime of ${label} in ${days.length} days: ${percentText(uptimePercent.days90)}.${worst}`
  const bars = barsOf(days, size).map(({ from, to, percent }) => {
    const [first, last] = [days[from]?.day, days[to - 1]?.day]
    const when = first === last ? first : `${first} to ${last}`
    const what =
      size.daysPerBar > 1 && percent !== null && percent < 100 ? `lowest ${percentText(percent)}` : percentText(percent)
    return bar(levelOf(percent), from, to, html`<title>${when}: ${what}</title>`)
  })
  return html`<svg class="bars" viewBox="0 0 ${days.length} 1" preserveAspectRatio="none" role="img" aria-label="${alternative}">${bars}</svg>
<p class="axis"><span>${days.length} days ago</span><span>today</span></p>`
}
