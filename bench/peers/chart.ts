import { median } from '../figures.ts'
import { type Comparison, own, short } from './comparison.ts'

const [labelWidth, barWidth, rowHeight, groupGap] = [250, 380, 22, 34]
const width = labelWidth + barWidth + 90

/** Horizontal bars, a scale of its own for each group: shorter is better. Readable on white and on dark pages. */
export function chartOf({ title, unit, groups }: Comparison): string {
  const parts: string[] = []
  let y = 0
  for (const { name, rows } of groups) {
    y += groupGap
    parts.push(`<text x="0" y="${y - 10}" class="group">${escaped(name === '' ? title : name)}, ${unit}</text>`)
    const most = Math.max(...rows.map(({ costs }) => median(costs)))
    for (const { name: of, costs } of rows) {
      const cost = median(costs)
      const length = Math.max(1, Math.round((cost / most) * barWidth))
      const kind = of.startsWith(own) ? 'own' : 'other'
      parts.push(
        `<text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end">${escaped(of)}</text>`,
        `<rect x="${labelWidth}" y="${y + 3}" width="${length}" height="${rowHeight - 6}" class="${kind}"/>`,
        `<text x="${labelWidth + length + 6}" y="${y + 15}">${short(cost)}</text>`,
      )
      y += rowHeight
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 8}" width="${width}" height="${y + 8}" role="img" aria-label="${escaped(title)}">
<style>text { font: 13px sans-serif; fill: #57606a } .group { font-weight: bold } .own { fill: #b35900 } .other { fill: #8b949e }
@media (prefers-color-scheme: dark) { text { fill: #adbac7 } .own { fill: #f0883e } .other { fill: #768390 } }</style>
${parts.join('\n')}
</svg>
`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
