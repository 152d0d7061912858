import { firstReplyOf, needsToken, type Route, type SampleCall } from '../../http/route.ts'
import type { Schema } from '../../http/schema.ts'
import { exampleOf } from '../example.ts'

export type Call = ReturnType<typeof callOf>

/** One call with its values: the source of the samples. */
export function callOf(route: Route, base: string, { query, body }: SampleCall = {}) {
  const path = route.path.replace(/:(\w+)/g, (_, name) =>
    encodeURIComponent(String(exampleOf(paramSchema(route, name)))),
  )
  const search = Object.entries({ ...queryExample(route), ...query })
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
  return {
    method: route.method,
    url: `${base}${path}${search && `?${search}`}`,
    needsToken: needsToken(route),
    body: body ?? bodyExample(route),
    /** The type of a body that is a file. */
    fileType: route.upload?.example ?? null,
    returns: query?.as === 'bytes' ? 'file' : returnOf(route),
  }
}

/** What a program makes of the first reply. */
function returnOf(route: Route): 'json' | 'text' | 'file' | 'nothing' {
  const { schema, type } = firstReplyOf(route)
  if (schema || type === 'application/json') return 'json'
  if (type === undefined) return 'nothing'
  return type === '*/*' || type.startsWith('image/') ? 'file' : 'text'
}

/** The name of the file that a sample sends. */
export const fileNameOf = (type: string) => type.replace('/', '.')

export const paramSchema = ({ params }: Route, name: string): Schema => params?.[name] ?? { type: 'string' }

const queryExample = ({ query }: Route) =>
  Object.fromEntries(
    Object.entries(query?.fields ?? {})
      .filter(([name, { absent }]) => absent !== undefined || query?.either?.names[0] === name)
      .map(([name, { schema }]) => [name, exampleOf(schema)]),
  )

export function bodyExample(route: Route): Record<string, unknown> | null {
  if (!route.body) return null
  const { fields, either } = route.body
  const [first, ...others] = either?.names ?? []
  const shown = Object.entries(fields).filter(
    ([name, { absent }]) => !others.includes(name) && (first === undefined || name === first || absent !== undefined),
  )
  return Object.fromEntries(shown.map(([name, { schema }]) => [name, exampleOf(schema)]))
}
