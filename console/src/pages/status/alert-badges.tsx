import type { Schemas } from '../../../../client/src/client.ts'
import { Time } from '../../parts/time.tsx'

type Props = Pick<Schemas['Component'], 'acknowledgement' | 'mute'>

/** Who took an outage, and until when no alerts are sent. */
export const AlertBadges = ({ acknowledgement, mute }: Props) => (
  <>
    {acknowledgement !== null && (
      <div>
        <span className="badge is-info">acknowledged</span>{' '}
        <span className="note">
          by <bdi>{acknowledgement.by}</bdi> <Time at={acknowledgement.at} />
        </span>
      </div>
    )}
    {mute !== null && (
      <div>
        <span className="badge">muted</span>{' '}
        <span className="note">
          by <bdi>{mute.by}</bdi>, ends <Time at={mute.until} />
        </span>
      </div>
    )}
  </>
)
