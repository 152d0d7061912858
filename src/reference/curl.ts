import type { Route } from '../http/route.ts'
import type { Schema } from '../http/schema.ts'
import { exampleOf } from './example.ts'

/** The call as a curl command; `$ACCESS_TOKEN` includes `Bearer `. */
export function curlOf(route: Route, base: string): string {
  const query = Object.entries(route.query?.fields ?? {})
    .filter(([name, { absent }]) => absent !== undefined || route.query?.either?.names[0] === name)
    .map(([name, { schema }]) => `${name}=${encodeURIComponent(String(exampleOf(schema)))}`)
    .join('&')
  const path = route.path.replace(/:(\w+)/g, (_, name) =>
    encodeURIComponent(String(exampleOf(paramSchema(route, name)))),
  )
  const url = `${base}${path}${query && `?${query}`}`
  const body = bodyExample(route)
  return [
    `curl ${route.method === 'GET' ? '' : `-X ${route.method} `}${/[?&;'()$ ]/.test(url) ? quoted(url) : url}`,
    ...(route.access.errors.length > 0 ? ['-H "Authorization: $ACCESS_TOKEN"'] : []),
    ...(route.upload ? [`-H 'Content-Type: ${route.upload.example}'`, '--data-binary @file'] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ')
}

export const paramSchema = ({ params }: Route, name: string): Schema => params?.[name] ?? { type: 'string' }

export function bodyExample(route: Route): Record<string, unknown> | null {
  if (!route.body) return null
  const { fields, either } = route.body
  const [first, ...others] = either?.names ?? []
  const shown = Object.entries(fields).filter(
    ([name, { absent }]) => !others.includes(name) && (first === undefined || name === first || absent !== undefined),
  )
  return Object.fromEntries(shown.map(([name, { schema }]) => [name, exampleOf(schema)]))
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
