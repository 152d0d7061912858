import { STATUS_CODES } from './node-http.ts'
import { type ReplySpec, type Route, repliesOf } from './route.ts'
import { mismatch } from './schema.ts'

/* For development and tests: a response that its route does not declare is an error. */

export function checkStatus(route: Route, status: number): ReplySpec {
  const spec = repliesOf(route).find((candidate) => candidate.status === status)
  if (spec) return spec
  throw new Error(`${nameOf(route)} returned ${status} ${STATUS_CODES[status]}, which it does not declare`)
}

export function checkType(route: Route, status: number, type: string): void {
  const { type: declared, also = [] } = checkStatus(route, status)
  if (status === 304) return
  if (type !== declared && !also.includes(type))
    throw new Error(`${nameOf(route)} returned ${type}, but declares ${declared}`)
}

export function checkJson(route: Route, status: number, text: string): void {
  const { schema } = checkStatus(route, status)
  const found = schema ? mismatch(schema, JSON.parse(text), 'reply') : 'no JSON is declared'
  if (found) throw new Error(`${nameOf(route)}: ${found}`)
}

/** Passes the chunks on, and throws after the last one if the whole does not match the schema. */
export async function* checkedChunks(
  route: Route,
  status: number,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    yield chunk
  }
  checkJson(route, status, text)
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`
