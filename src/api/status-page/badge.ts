import { html } from '../../reference/markup.ts'
import { english, percentText } from './texts/texts.ts'
import type { BadgeDays, ComponentView, PageState } from './view.ts'

/** White text has a contrast of at least 4.5 : 1 on each color. */
const colors: Readonly<Record<PageState, string>> = {
  operational: '#0a6652',
  degraded: '#855400',
  partial: '#9a4a00',
  outage: '#b3261e',
  maintenance: '#0b5fa8',
  unknown: '#525c67',
}

const padding = 8
/** Generous, since the font is the reader's. */
const widthOf = (text: string) =>
  Math.ceil([...text].reduce((sum, each) => sum + (each > '\u02ff' ? 12 : 7), 0)) + 2 * padding

const stateOfPercent = (percent: number | null): PageState => {
  if (percent === null) return 'unknown'
  return percent >= 99 ? 'operational' : percent >= 95 ? 'degraded' : 'outage'
}

interface Shown {
  readonly name: string
  readonly value: string
  readonly color: string
}

/** The state, or the uptime over this many days. */
function shownBy({ label, state, uptimePercent }: ComponentView, days: BadgeDays | undefined): Shown {
  if (days === undefined) return { name: label, value: english.states[state].toLowerCase(), color: colors[state] }
  const percent = uptimePercent[`days${days}`]
  return {
    name: `${label}, ${days} days`,
    value: percent === null ? english.states.unknown.toLowerCase() : percentText(english, percent),
    color: colors[stateOfPercent(percent)],
  }
}

/** The endpoint badge of shields.io. */
export function printEndpointBadge(component: ComponentView, days: BadgeDays | undefined): string {
  const { name, value, color } = shownBy(component, days)
  return JSON.stringify({ schemaVersion: 1, label: name, message: value, color })
}

export function printBadge(component: ComponentView, days: BadgeDays | undefined): string {
  const { name, value, color } = shownBy(component, days)
  const left = widthOf(name)
  const right = widthOf(value)
  const width = left + right
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-label="${name}: ${value}">
<title>${name}: ${value}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#2f363d"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g>
<g fill="#fff" font-family="system-ui,Verdana,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${name}</text><text x="${left + right / 2}" y="14">${value}</text></g>
</svg>
`.text
}
