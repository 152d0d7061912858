import type { Notice } from '../../status/publication.ts'
import type { Status } from '../../status/statuses.ts'

/** For targets that know only up and down. Maintenance is planned, so it is no outage. */
const up: Readonly<Record<Status, boolean>> = {
  operational: true,
  degraded: true,
  partial: false,
  outage: false,
  maintenance: true,
}

export const isUp = ({ status }: Pick<Notice, 'status'>) => up[status]

export const wordFor = ({ status, source }: Notice) => (source === 'silence' ? `${status}: no heartbeat` : status)

/** These pages take silence for an outage, by default after a minute: losing one push must not show. */
export const repeatEveryMs = 20_000
