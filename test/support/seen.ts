import { appendFileSync } from 'node:fs'
import type { Refusal } from '../../src/http/refusal.ts'
import type { Route } from '../../src/http/route.ts'

const file = process.env.MENAGERIE_SEEN_FILE
const seen = new Set<string>()

export const nameOf = (route: Pick<Route, 'method' | 'path'>, { status, message }: Refusal) =>
  `${route.method} ${route.path}: ${status} ${message}`

/** Records every refusal that a test got; at the end, each declared one must be among them. */
export function rememberRefusal({ route }: { readonly route: Route | null }, refusal: Refusal): void {
  if (!route || !file) return
  const name = nameOf(route, refusal)
  if (seen.has(name)) return
  seen.add(name)
  appendFileSync(file, `${name}\n`)
}
