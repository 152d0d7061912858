import type { ReactNode } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
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
  readonly isBusy: boolean
  readonly onEnd: (period: T) => void
  readonly children?: (period: T) => ReactNode
}

const tones = { planned: 'is-info', active: 'is-warning', over: '' } as const

/** Announcements or maintenance windows, with start and end. */
export const PeriodList = <T extends Period>({ periods, noun, mayAct, isBusy, onEnd, children }: Props<T>) => (
  <ul className="entries">
    {periods.map((period) => (
      <li key={period.id}>
        <span className={`badge ${tones[period.state]}`}>{period.state}</span> {children?.(period)}
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
              , ended <Time at={period.endedAt} />
            </>
          )}
        </p>
        {mayAct && period.state !== 'over' && (
          <ActButton isBusy={isBusy} onClick={() => onEnd(period)}>
            {period.state === 'planned' ? `Cancel ${noun}` : 'End now'}
          </ActButton>
        )}
      </li>
    ))}
  </ul>
)
