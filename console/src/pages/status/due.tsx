import type { Schemas } from '../../../../client/src/client.ts'
import { durationText } from '../../../../src/lib/duration-text.ts'
import { Time } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'

type Props = Pick<Schemas['Component'], 'schedule' | 'tz' | 'nextRunAt' | 'timeoutSeconds'>

export const secondsText = (seconds: number) => durationText(seconds * 1000)

/** When heartbeats are due: by a schedule, with its next run, or within a timeout. */
export const Due = ({ schedule, tz, nextRunAt, timeoutSeconds }: Props) =>
  schedule === null ? (
    `within ${secondsText(timeoutSeconds)}`
  ) : (
    <>
      <code>{schedule}</code> {tz}
      {nextRunAt !== null && (
        <div className="note">
          {Date.parse(nextRunAt) > serverNow() ? 'Next run' : 'Run was due'} <Time at={nextRunAt} />
        </div>
      )}
    </>
  )

/** Until an announced maintenance ends, no deadline is checked; the timeout starts again then. */
export const Deadline = ({
  maintenanceId,
  heartbeat,
  deadlineAt,
}: Pick<Schemas['Component'], 'maintenanceId' | 'heartbeat' | 'deadlineAt'>) =>
  maintenanceId === null || heartbeat === 'missed' ? <Time at={deadlineAt} /> : 'none until the maintenance ends'
