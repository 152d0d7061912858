import { defineApiRoute, publicPage } from '../accounts/api-route.ts'
import { TextResponse } from '../http/responses.ts'

const type = 'text/plain; charset=utf-8'

/** The address of a page with a slash at its end, as people type it. Relative: a proxy may serve it below a path. */
export const withSlash = (path: `/${string}`, operationId: string) =>
  defineApiRoute({
    ...publicPage,
    path: `${path}/`,
    operationId,
    summary: `Redirect to ${path}`,
    reply: { status: 308, type },
    handle: () => new TextResponse(308, type, `${path}\n`, { Location: `..${path}` }),
  })
