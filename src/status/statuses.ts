export const statuses = ['operational', 'degraded', 'partial', 'outage', 'maintenance'] as const
export type Status = (typeof statuses)[number]

/** Distinguishes silence from a reported outage. */
export const uptimeStates = [...statuses, 'silent'] as const
export type UptimeState = (typeof uptimeStates)[number]

/** For targets that know only up and down. Maintenance is planned, so it is not down. */
export const isDown = (status: Status): boolean => status === 'partial' || status === 'outage'

export const componentIdPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'

/** How many components a message to an alert channel names; it counts the others. */
export const maxNamed = 20

/** How many runs of a component are kept. */
export const maxRuns = 20

/** With more components down, a message has no links that acknowledge. */
export const maxLinked = 5

/** Max records kept, of accepted and of refused changes each: refused ones must not displace the others. */
export const maxRecords = 10_000
