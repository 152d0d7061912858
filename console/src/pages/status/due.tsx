import type { Schemas } from '../../../../client/src/client.ts'
import { durationText } from '../../../../src/lib/duration-text.ts'
import { Time } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'

type Props = Pick<Schemas['Component'], 'schedule' | 'tz' | 'nextRunAt' | 'timeoutSeconds' | 'running'>

export const secondsText = (seconds: number) => durationText(seconds * 1000)

/** When heartbeats are due: by a schedule, with its next run, or within a timeout. */
export const Due = ({ schedule, tz, nextRunAt, timeoutSeconds, running }: Props) => {
  if (schedule === null) return `within ${secondsText(timeoutSeconds)}`
  const isPast = nextRunAt !== null && Date.parse(nextRunAt) <= serverNow()
  return (
    <>
      <code>{schedule}</code> {tz}
      {nextRunAt !== null && (
        <div className="note">
          {isPast ? 'Run was due' : 'Next run'} <Time at={nextRunAt} />
          {isPast && running > 0 && '; not counted as missed while a run is in progress'}
        </div>
      )}
    </>
  )
}

/** Until an announced maintenance ends, no deadline is checked; the timeout starts again then. */
export const Deadline = ({
  maintenanceId,
  heartbeat,
  deadlineAt,
}: Pick<Schemas['Component'], 'maintenanceId' | 'heartbeat' | 'deadlineAt'>) =>
  maintenanceId === null || heartbeat === 'missed' ? <Time at={deadlineAt} /> : 'none until the maintenance ends'
