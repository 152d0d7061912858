import type { Refusal } from '../http/refusal.ts'

/** A known path with another method is also a 404, never a 405. */
export const notFound = (method: string, path: string): Refusal => ({
  status: 404,
  message: `Not Found - ${method} ${path}`,
  when: 'no route has this method and path',
})

/** The address of a page with a slash at its end, as people type it: relative, since a proxy may serve it below a path. */
const movedTo = (page: string): Refusal => ({
  status: 308,
  message: `The page is at ${page}`,
  headers: { Location: `..${page}` },
})

/** For a path that no route has. `pages`: those that people open; only browsers are led to them. */
export function createNotFound(pages: readonly string[]) {
  return (method: string, path: string, accept = ''): Refusal => {
    const isOpened = method === 'GET' && accept.includes('text/html')
    const page = isOpened ? pages.find((each) => path === `${each}/`) : undefined
    return page === undefined ? notFound(method, path) : movedTo(page)
  }
}
