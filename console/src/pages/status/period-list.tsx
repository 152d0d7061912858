import { type ReactNode, useState } from 'react'
import { Confirm } from '../../parts/confirm.tsx'
import { ExactTime, Time } from '../../parts/time.tsx'

interface Period {
  readonly id: string
  readonly from: string
  readonly until: string | null
  readonly endedAt: string | null
  readonly state: 'planned' | 'active' | 'over'
  readonly text: string | null
}

interface Props<T> {
  readonly periods: readonly T[]
  /** What they are, such as `maintenance`. */
  readonly noun: string
  readonly mayAct: boolean
  readonly end: (id: string) => Promise<unknown>
  /** Opens the form that changes it. */
  readonly change: (period: T) => void
  readonly changeLabel: string
  /** What goes on after its end. */
  readonly rest?: (period: T) => ReactNode
  readonly children?: (period: T) => ReactNode
}

const tones = { planned: 'is-info', active: 'is-warning', over: '' } as const

const isCancelled = ({ from, endedAt }: Period) => endedAt !== null && endedAt < from

/** What is now, then what comes next, then what is over; last what did not take place. */
const ranks = { active: 0, planned: 1, over: 2 } as const
const rankOf = (period: Period) => (isCancelled(period) ? 3 : ranks[period.state])
const inOrder = (one: Period, other: Period) =>
  rankOf(one) - rankOf(other) || (one.state === 'planned' ? 1 : -1) * one.from.localeCompare(other.from)

/** Announcements or maintenance windows, with start and end. */
export function PeriodList<T extends Period>({
  periods,
  noun,
  mayAct,
  end,
  change,
  changeLabel,
  rest,
  children,
}: Props<T>) {
  const [asked, setAsked] = useState<T | null>(null)
  const verbOf = ({ state }: Period) => (state === 'planned' ? 'Cancel' : 'End')
  return (
    <>
      <ul className="entries">
        {periods.toSorted(inOrder).map((period) => (
          <li key={period.id}>
            <span className={`badge ${tones[period.state]}`}>{isCancelled(period) ? 'cancelled' : period.state}</span>{' '}
            {children?.(period)}
            {period.text !== null && (
              <p className="text" dir="auto">
                {period.text}
              </p>
            )}
            <p className="note">
              <ExactTime at={period.from} />
              {period.until !== null && (
                <>
                  {' '}
                  until <ExactTime at={period.until} />
                </>
              )}
              {period.endedAt !== null && (
                <>
                  , {isCancelled(period) ? 'cancelled' : 'ended'} <Time at={period.endedAt} />
                </>
              )}
            </p>
            {mayAct && period.state !== 'over' && (
              <div className="actions">
                <button type="button" className="button" onClick={() => change(period)}>
                  {changeLabel}
                  <span className="hidden"> {noun}</span>
                </button>
                <button type="button" className="button" onClick={() => setAsked(period)}>
                  {period.state === 'planned' ? `Cancel ${noun}` : 'End now'}
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {asked !== null && (
        <Confirm
          title={`${verbOf(asked)} ${noun}`}
          label={`${verbOf(asked)} ${noun}`}
          dismiss={`Keep ${noun}`}
          act={() => end(asked.id)}
          done={`The ${noun} was ${asked.state === 'planned' ? 'cancelled' : 'ended'}`}
          queryKey={['status']}
          onClose={() => setAsked(null)}
        >
          {asked.state === 'planned' ? 'It will not take place.' : 'It ends at once.'} This cannot be undone.
          {rest?.(asked)}
        </Confirm>
      )}
    </>
  )
}
