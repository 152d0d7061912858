import type { Notice } from '../../status/publication.ts'
export const wordFor = ({ status, source }: Notice) => (source === 'silence' ? `${status}: no heartbeat` : status)

/** These pages take silence for an outage, by default after a minute: a single lost push must not show. */
export const repeatEveryMs = 20_000
