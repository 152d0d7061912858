import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Schemas } from '../../../client/src/client.ts'
import { TableFrame } from './table-frame.tsx'
import { useTheme } from './theme.ts'

interface Props {
  readonly usage: readonly Schemas['DailyRequests'][]
  /** The first day, for example `2026-01-31`. */
  readonly from: string
  readonly days: number
}

const groups = [
  ['images', 'Images', '--get'],
  ['auth', 'Account', '--post'],
  ['admin', 'Administration', '--put'],
] as const

const daySeconds = 86_400
const isoDay = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
/** Of the labels below the plot. */
const minLabelPx = 90
const height = 220

/** The reply omits days without requests. */
function columnsOf({ usage, from, days }: Props): uPlot.AlignedData {
  const first = Date.parse(from) / 1000
  const byDay = new Map(usage.map((row) => [Date.parse(row.day) / 1000, row]))
  const times = Array.from({ length: days }, (_, index) => first + index * daySeconds)
  return [times, ...groups.map(([name]) => times.map((time) => byDay.get(time)?.[name] ?? 0))]
}

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name)

export function UsagePlot(props: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const { usage } = props
  const theme = useTheme()
  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const draw = () => {
      const [ink, line] = [colour('--soft'), colour('--line')]
      const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
      const columns = columnsOf(props)
      // Without a pointer over the plot, the legend shows the last day.
      const figureOf = (series: number, index: number | null) => columns[series]?.[index ?? props.days - 1] ?? 0
      return new uPlot(
        {
          width: element.clientWidth,
          height,
          // Half of the last day's label.
          padding: [null, minLabelPx / 2, null, null],
          tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
          axes: [
            { ...axis, space: minLabelPx, values: (_plot, days) => days.map(isoDay) },
            { ...axis, size: 60 },
          ],
          series: [
            { label: 'Day', value: (_plot, _value, series, index) => isoDay(figureOf(series, index)) },
            ...groups.map(([, label, name]) => ({
              label,
              stroke: colour(name),
              width: 2,
              points: { show: false },
              value: (_plot: uPlot, _value: number, series: number, index: number | null) =>
                figureOf(series, index).toLocaleString('en'),
            })),
          ],
        },
        columns,
        element,
      )
    }
    let plot = draw()
    const redraw = () => {
      plot.destroy()
      plot = draw()
    }
    const resizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resizes.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    return () => {
      resizes.disconnect()
      scheme.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [props, theme])
  const totals = groups.map(([name, label]) => {
    const sum = usage.reduce((total, row) => total + row[name], 0)
    return `${label} ${sum.toLocaleString('en')}`
  })
  return (
    <figure className="plot">
      <div ref={frame} aria-hidden="true" />
      <figcaption className="note">
        In {props.days} days: {totals.join(', ')}.
      </figcaption>
      {usage.length > 0 && <UsageTable usage={usage} />}
    </figure>
  )
}

/** The plot's data, for users who cannot see it. */
const UsageTable = ({ usage }: Pick<Props, 'usage'>) => (
  <details>
    <summary>Show as a table</summary>
    <TableFrame label="Requests per day" isTall>
      <thead>
        <tr>
          <th scope="col">Day</th>
          {groups.map(([name, label]) => (
            <th key={name} scope="col" className="is-number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {usage.toReversed().map((row) => (
          <tr key={row.day}>
            <th scope="row">{row.day}</th>
            {groups.map(([name]) => (
              <td key={name} className="is-number">
                {row[name].toLocaleString('en')}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  </details>
)
