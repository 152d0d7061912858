import { STATUS_CODES } from '../http/node-http.ts'
import type { Operation } from './openapi-operation.ts'
import type { Json } from './shapes.ts'

/** Replaces each redirect or error that several operations have with a reference, and returns these responses by name. */
export function shareResponses(operations: readonly Operation[]): Record<string, Json> {
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, response]) => ({ responses, status, response })),
  )
  const candidates = all.filter(({ status }) => !status.startsWith('2'))
  const shared: Record<string, Json> = {}
  for (const group of Map.groupBy(candidates, ({ status, response }) => status + JSON.stringify(response)).values()) {
    const [{ status, response }] = group as [(typeof group)[number]]
    if (group.length === 1) continue
    const name = freeName((STATUS_CODES[status] ?? status).replaceAll(' ', ''), shared)
    shared[name] = response
    for (const { responses } of group) responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return shared
}

function freeName(name: string, taken: Json): string {
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}${number}`
    if (!(numbered in taken)) return numbered
  }
}
