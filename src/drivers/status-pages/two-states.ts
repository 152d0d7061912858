import type { Notice } from '../../status/publication.ts'

export function wordFor({ status, source, lostRun }: Notice): string {
  if (source !== 'silence') return status
  return `${status}: ${lostRun === undefined ? 'no heartbeat' : 'a run did not end in time'}`
}

/** These pages take silence for an outage, by default after a minute: a single lost push must not show. */
export const repeatEveryMs = 20_000
