import { html, type Markup } from '../../../reference/markup.ts'
import { english, type Texts } from './english.ts'
import { german } from './german.ts'

export { english, type Texts } from './english.ts'

const languages: readonly Texts[] = [english, german]

/** The language with the highest weight in an `Accept-Language`, by its first subtag; English without a match. */
export function textsFor(header: string | undefined): Texts {
  let best = { texts: english as Texts, weight: 0 }
  for (const member of (header ?? '').split(',')) {
    const [, tag = '', weight = '1'] =
      /^\s*([a-z]{1,8})(?:-[a-z\d-]*)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(member) ?? []
    const texts = languages.find(({ language }) => language === tag.toLowerCase())
    if (texts && Number(weight) > best.weight) best = { texts, weight: Number(weight) }
  }
  return best.texts
}

/** As markup, whose values may be markup too. */
export const fill = (template: string, values: Readonly<Record<string, Markup | string | number>>): Markup =>
  html`${template.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 1 ? values[part] : part))}`

/** As text, for attributes and titles. */
export const fillText = (template: string, values: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))

/** `2026-06-01 12:00 UTC` */
export const timeText = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

/** Times are in UTC; the page's script shows them in the visitor's time zone. */
export const time = (at: string): Markup => html`<time datetime="${at}">${timeText(at)}</time>`

/** Whole days from two days on; hours and minutes below that. */
export function durationText({ durations }: Texts, from: string, to: string): string {
  const minutes = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 60_000)) || 0
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  if (days > 1) return fillText(durations.days, { days })
  if (minutes >= 60) return fillText(durations.hours, { hours: days * 24 + hours, minutes: minutes % 60 })
  return minutes === 0 ? durations.none : fillText(durations.minutes, { minutes })
}

/** Whole milliseconds from ten on. */
export const millisecondsText = ({ decimalPoint, noData }: Texts, ms: number | null): string =>
  ms === null ? noData : `${String(ms < 10 ? ms : Math.round(ms)).replace('.', decimalPoint)} ms`

export const percentText = ({ decimalPoint, noData }: Texts, percent: number | null): string =>
  percent === null ? noData : `${String(percent).replace('.', decimalPoint)} %`
