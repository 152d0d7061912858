import type { Notice } from '../../status/component.ts'
import type { Status } from '../../status/statuses.ts'

/** For pages that know up and down alone. Maintenance is meant, so it is no outage. */
const up: Readonly<Record<Status, boolean>> = {
  operational: true,
  degraded: true,
  partial: false,
  outage: false,
  maintenance: true,
}

export const isUp = ({ status }: Notice) => up[status]

/** What such a page shows beside it. */
export const wordOf = ({ status, source }: Notice) => (source === 'silence' ? `${status}: no heartbeat` : status)

/** They take silence for an outage, after a minute by default: one that is lost must not be noticed. */
export const repeatEveryMs = 20_000
