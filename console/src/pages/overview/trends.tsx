import { Loaded } from '../../parts/loaded.tsx'
import { dayMs, dayOf, type UsageOf, useUsage } from '../../parts/use-usage.ts'
import { serverNow } from '../../session/server-clock.ts'

const groups = [
  ['total', 'All requests'],
  ['images', 'Image requests'],
  ['auth', 'Account requests'],
  ['admin', 'Administration requests'],
] as const

const weekDays = 7

/** The last seven days that are over, against the seven before. */
export function Trends({ of }: { readonly of: UsageOf }) {
  const { query } = useUsage(of)
  const today = Date.parse(dayOf(serverNow()))
  const [before, start, end] = [2 * weekDays, weekDays, 1].map((days) => dayOf(today - days * dayMs))
  return (
    <Loaded query={query} name="trends">
      {({ usage }) => {
        const sum = (name: (typeof groups)[number][0], from = '', to = '') =>
          usage.reduce((total, row) => (row.day >= from && row.day <= to ? total + row[name] : total), 0)
        if (sum('total', before, end) === 0)
          return (
            <p className="note">
              No requests in the two weeks before today. Today so far:{' '}
              {sum('total', dayOf(today), '9').toLocaleString('en')}.
            </p>
          )
        return (
          <>
            <dl className="figures">
              {groups.map(([name, label]) => {
                const now = sum(name, start, end)
                const then = sum(name, before, dayOf(today - (weekDays + 1) * dayMs))
                return (
                  (now > 0 || then > 0 || name === 'total') && (
                    <div key={name}>
                      <dt>{label}</dt>
                      <dd>{now.toLocaleString('en')}</dd>
                      <dd className="trend">{changeText(now, then)}</dd>
                    </div>
                  )
                )
              })}
            </dl>
            <p className="note">
              From {start} to {end}, against the week before.
            </p>
          </>
        )
      }}
    </Loaded>
  )
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })

const changeText = (now: number, then: number) =>
  then === 0 ? (now === 0 ? 'none before' : 'new') : `${percent.format(now / then - 1)} (${then.toLocaleString('en')})`
