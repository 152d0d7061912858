import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mismatch, type Schema } from '../../src/http/schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

interface Content {
  readonly schema?: Schema
  readonly example?: unknown
}

interface Response {
  readonly content?: Readonly<Record<string, Content>>
}

export interface Operation {
  readonly service: 'api' | 'worker'
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly (readonly [type: string, Content])[]
  readonly responses: Readonly<Record<string, Response>>
}

/** The operations of a document, with every reference replaced by what it names. */
export function operationsOf(service: Operation['service'], file: string): Operation[] {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8'))
  const named = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((found, part) => found[part], document)
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved)
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value) return resolved(named(value.$ref as string))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item)]))
  }
  return Object.entries(document.paths as Record<string, Record<string, object>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) => {
      const {
        parameters = [],
        requestBody,
        responses,
      } = resolved(found) as Partial<Operation> & {
        requestBody?: { content: Record<string, Content> }
      }
      const name = `${service} ${method.toUpperCase()} ${path}`
      const bodies = Object.entries(requestBody?.content ?? {})
      return { service, name, method: method.toUpperCase(), path, parameters, bodies, responses: responses ?? {} }
    }),
  )
}

/** What about a reply the document does not declare; null if it fits. */
export function misfit({ responses }: Operation, status: number, type: string, text: string): string | null {
  const response = responses[status]
  if (!response) return `${status} is not declared`
  const declared = Object.entries(response.content ?? {})
  if (text === '') return null
  const plain = type.split(';')[0] as string
  const content = declared.find(([each]) => {
    const named = each.split(';')[0] as string
    return named === plain || named === '*/*' || (named.endsWith('/*') && plain.startsWith(named.slice(0, -1)))
  })?.[1]
  if (!content) return `${status} with ${type} is not declared`
  if (plain !== 'application/json' || !content.schema) return null
  return mismatch(content.schema, JSON.parse(text), 'reply')
}
