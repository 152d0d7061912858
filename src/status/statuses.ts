export const statuses = ['operational', 'degraded', 'partial', 'outage', 'maintenance'] as const
export type Status = (typeof statuses)[number]

/** For targets that know only up and down. Maintenance is planned, so it is no outage. */
export const isDown = (status: Status): boolean => status === 'partial' || status === 'outage'
