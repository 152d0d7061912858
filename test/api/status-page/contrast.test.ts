import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { legend, uptimeBars } from '../../../src/api/status-page/bars.ts'
import { english } from '../../../src/api/status-page/texts/texts.ts'
import { viewOf } from '../../../src/api/status-page/view.ts'
import { statusPage } from '../../../src/config/status-page.ts'
import { styleOf } from '../../../src/reference/documents.ts'
import { summaryComponent, summaryOf } from './stage.ts'

const style = styleOf(['base', 'frame', 'status'])
const levels = ['up', 'some', 'down', 'none'] as const

/** The color of a variable in a theme, as the style sheet has it. */
function colorOf(name: string, theme: 'light' | 'dark'): string {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(style)?.[1] ?? assert.fail(name)
  const other = /^var\(--([\w-]+)\)$/.exec(value)?.[1]
  if (other !== undefined) return colorOf(other, theme)
  const [, light, dark] = /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(value) ?? assert.fail(value)
  return (theme === 'light' ? light : dark) as string
}

/** Relative luminance and contrast ratio, as WCAG 2 defines them. */
const luminance = (color: string) =>
  [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
    const part = Number.parseInt(color.slice(1 + 2 * index, 3 + 2 * index), 16) / 255
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  }, 0)
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

describe('The bars of the status page', () => {
  for (const theme of ['light', 'dark'] as const)
    it(`have 3 : 1 against the page, and a day with downtime against one without, in the ${theme} theme`, () => {
      assert.equal(contrast('#ffffff', '#000000'), 21)
      const bars = levels.map((level) => [level, colorOf(`bar-${level}`, theme)] as const)
      for (const [level, color] of bars) {
        const against = contrast(color, colorOf('ground', theme))
        assert.ok(against >= 3, `${level}: ${against.toFixed(2)}`)
      }
      const { up = '', down = '' } = Object.fromEntries(bars)
      assert.ok(contrast(up, down) >= 3, contrast(up, down).toFixed(2))
    })

  it('have a height of their own, the worse the higher, with a legend and an axis', () => {
    const days = summaryComponent('a').days.map((day, index) => {
      const downSeconds = [0, 600, 40_000][index % 4]
      return { ...day, upSeconds: downSeconds === undefined ? 0 : 86_400 - downSeconds, downSeconds: downSeconds ?? 0 }
    })
    const named = [{ id: 'a', label: 'Website', group: null }]
    const [component] = viewOf(named, summaryOf([{ ...summaryComponent('a'), days }])).components
    const printed = uptimeBars(component as never, { daysPerBar: 1, hasTooltips: true }, english)?.text ?? ''
    const topsIn = (text: string) =>
      new Map([...text.matchAll(/class="(\w+)" d="M\d+ ([\d.]+)H/g)].map(([, level, top]) => [level, Number(top)]))
    const tops = topsIn(printed)
    assert.deepEqual([...tops.keys()].sort(), [...levels].sort())
    const [none = 0, up = 0, some = 0, down = 0] = (['none', 'up', 'some', 'down'] as const).map((each) =>
      tops.get(each),
    )
    assert.ok(none - up >= 0.2 && up - some >= 0.2 && some - down >= 0.2, String([none, up, some, down]))
    assert.match(printed, /<p class="axis"><span>90 days ago<\/span><span>today<\/span><\/p>/)
    assert.deepEqual(topsIn(legend(english).text), tops)
  })
})

describe('STATUS_PAGE_COLOR', () => {
  it('takes a color if white text on it has 4.5 : 1, and otherwise says how much it has', () => {
    const { read, explain } = statusPage.STATUS_PAGE_COLOR.format
    for (let step = 0; step < 4_096; step += 37) {
      const color = `#${[8, 4, 0].map((bits) => (((step >> bits) & 15) * 17).toString(16).padStart(2, '0')).join('')}`
      const ratio = contrast('#ffffff', color)
      assert.equal(read(color), ratio >= 4.5 ? color : undefined, color)
      assert.equal(explain?.(color), `, on which it has ${(Math.floor(ratio * 100) / 100).toFixed(2)} : 1`)
    }
    assert.equal(read('#0A6652'), '#0a6652')
    for (const text of ['0a6652', '#0a665', '#0a66522', 'red', '#0a6652;}', 'var(--x)'])
      assert.deepEqual([read(text), explain?.(text)], [undefined, ''], text)
  })
})
