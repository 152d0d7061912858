import type { Refusal } from '../http/refusal.ts'

/** A known path with another method is also a 404, never a 405. */
export const notFound = (method: string, path: string): Refusal => ({
  status: 404,
  message: `Not Found - ${method} ${path}`,
  when: 'no route has this method and path',
})
