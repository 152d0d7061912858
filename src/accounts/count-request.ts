import type { Route } from '../http/route.ts'
import { tagsOf } from './api-route.ts'
import type { Grant, Journal } from './journal.ts'

/**
 * Counts a request for its user, in the counter that its route names. Counts every request with a valid token, whatever
 * the response, and successful registrations and logins; not 401, 429, unmatched paths, and routes without a counter.
 */
export function countRequest(
  { count }: Pick<Journal, 'count'>,
  route: Route | null,
  userId: string,
  grant: Grant | null = null,
): void {
  const counter = route && tagsOf(route).counts
  if (counter) count(userId, counter, grant)
}
