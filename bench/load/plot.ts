import type { Point } from './slope.ts'

export interface Panel {
  readonly title: string
  readonly unit: string
  /** In the order of the colours. */
  readonly lines: readonly { readonly name: string; readonly points: readonly Point[] }[]
}

const width = 760
const panelHeight = 190
const [left, right, top, bottom] = [64, 16, 34, 28]
const lineColours = ['a', 'b']

const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 }
.grid { stroke: #8c959f; stroke-opacity: .35 } .axis { stroke: #57606a } polyline { fill: none; stroke-width: 1.5 }
.a { stroke: #0969da } .b { stroke: #bc4c00 } text.a { fill: #0969da; stroke: none } text.b { fill: #bc4c00; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .axis { stroke: #8b949e } .a { stroke: #58a6ff } .b { stroke: #f0883e }
text.a { fill: #58a6ff } text.b { fill: #f0883e } }
</style>`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Round values from 0 to at least `most`: at most six, each 1, 2 or 5 times a power of ten apart. */
export function ticksTo(most: number): number[] {
  if (!(most > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / 5))
  const step = power * ([1, 2, 5, 10].find((each) => (power * each * 5) / most > 1 - 1e-9) ?? 10)
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** Panels one below another, with the seconds of the run as their common axis. */
export function plot(panels: readonly Panel[]): string {
  const all = panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points))
  const seconds = ticksTo(Math.max(...all.map(([x]) => x).filter(Number.isFinite)))
  const height = panels.length * panelHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
${style}
${panels.map((panel, index) => drawn(panel, index * panelHeight, seconds)).join('\n')}
</svg>
`
}

function drawn({ title, unit, lines }: Panel, from: number, seconds: readonly number[]): string {
  const values = ticksTo(Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y)).filter(Number.isFinite)))
  const [mostX, mostY] = [seconds.at(-1) ?? 1, values.at(-1) ?? 1]
  const end = from + panelHeight - bottom
  const xOf = (x: number) => (left + (x / mostX) * (width - left - right)).toFixed(1)
  const yOf = (y: number) => (end - (y / mostY) * (panelHeight - top - bottom)).toFixed(1)
  const line = (at: string, x1: string | number, y1: string | number, x2: string | number, y2: string | number) =>
    `<line class="${at}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
  const text = (words: string, x: string | number, y: string | number, more: string) =>
    `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`
  return [
    text(`${title}, ${unit}`, left, from + 20, 'class="title"'),
    ...lines.map(({ name }, index) =>
      lines.length === 1
        ? ''
        : text(
            name,
            width - right - 90 * (lines.length - 1 - index),
            from + 20,
            `class="${lineColours[index]}" text-anchor="end"`,
          ),
    ),
    ...values.map((value) => line('grid', left, yOf(value), width - right, yOf(value))),
    ...values.map((value) => text(String(value), left - 8, Number(yOf(value)) + 4, 'text-anchor="end"')),
    ...seconds.map((value) => text(`${value} s`, xOf(value), end + 18, 'text-anchor="middle"')),
    line('axis', left, from + top, left, end),
    line('axis', left, end, width - right, end),
    ...lines.map(({ points }, index) => {
      const drawable = points.filter((point) => point.every(Number.isFinite))
      return `<polyline class="${lineColours[index]}" points="${drawable.map(([x, y]) => `${xOf(x)},${yOf(y)}`).join(' ')}"/>`
    }),
  ]
    .filter((part) => part !== '')
    .join('\n')
}
