import type { Schema } from '../http/schema.ts'
import { dayMs } from '../lib/timestamps.ts'

const firstTime = Date.parse('2026-01-15T09:30:00.000Z')

/** A realistic value that matches the schema: the schema's own example if it has one. */
export function exampleOf(schema: Schema): unknown {
  let times = 0
  const nextTime = () => new Date(firstTime + dayMs * times++).toISOString()

  const make = (part: Schema): unknown => {
    if (part.examples && part.examples.length > 0) return part.examples[0]
    if (part.const !== undefined) return part.const
    if (part.default !== undefined) return part.default
    if (part.enum) return part.enum[0]
    if (part.anyOf) return part.anyOf[0] ? make(part.anyOf[0]) : null
    switch (part.type) {
      case 'object':
        return makeObject(part)
      case 'array':
        return part.items ? [make(part.items)] : []
      case 'integer':
      case 'number':
        return part.minimum ?? 0
      case 'boolean':
        return false
      case 'string':
        return part.format === 'date-time'
          ? nextTime()
          : 'text'.padEnd(part.minLength ?? 0, 'x').slice(0, part.maxLength)
      default:
        return null
    }
  }

  const makeObject = ({ properties, required, additionalProperties }: Schema) => {
    // An optional constant marks a special case, which the example omits.
    const isShown = ([name, value]: [string, Schema]) => value.const === undefined || required?.includes(name)
    const shown = Object.entries(properties ?? {}).filter(isShown)
    if (properties) return Object.fromEntries(shown.map(([name, value]) => [name, make(value)]))
    return typeof additionalProperties === 'object' ? { name: make(additionalProperties) } : {}
  }

  return make(schema)
}
