import type { Announcement } from './announcements.ts'
import type { Maintenance } from './maintenance.ts'
import type { RecurringMaintenance } from './recurring-maintenance.ts'
import type { WrittenIncident } from './written-incidents.ts'

/** What people publish on the status page, by kind: each is in a table of its own, `status_` and the kind. */
export interface Published {
  readonly maintenance: Maintenance
  readonly recurring_maintenance: RecurringMaintenance
  readonly announcements: Announcement
  readonly written_incidents: WrittenIncident
}

/** When it ended or will end; null if nobody knows. */
export const endOf: { readonly [Kind in keyof Published]: (one: Published[Kind]) => number | null } = {
  maintenance: ({ endedAt, until }) => endedAt ?? until,
  recurring_maintenance: ({ endedAt }) => endedAt,
  announcements: ({ endedAt, until }) => endedAt ?? until,
  /** When it was resolved or, for one by silence, last written about. */
  written_incidents: ({ byHand, updates }) => (byHand ? byHand.resolvedAt : (updates.at(-1)?.at ?? 0)),
}
