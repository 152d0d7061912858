import type { Fields } from '../http/fields.ts'
import type { Schema } from '../http/schema.ts'
import { aboutValue } from './rows.ts'
import { createSharedNotes } from './shared-notes.ts'

/*
 * Schemas in the notation of TypeScript, a field per line with its note. A shape that several places use has a name and
 * is printed once, and so is a note that many places would repeat.
 */

const maxLineLength = 110

export type TypeText = ReturnType<typeof createTypeText>

/** Whatever is printed, for counting. */
export interface Printed {
  readonly params: readonly (readonly [string, Schema])[]
  readonly inputs: readonly Inputs[]
  readonly replies: readonly Schema[]
}

type Inputs = Pick<Fields<unknown>, 'fields' | 'either'>

export function createTypeText({ params, inputs, replies }: Printed) {
  const shapes = countShapes(replies)
  const isNamed = ({ title }: Schema) => title !== undefined && (shapes.get(title)?.count ?? 0) > 1
  const notes = createSharedNotes()

  /** The first line continues that of the field, and the last may be continued. */
  const linesOf = (schema: Schema): string[] =>
    isNamed(schema) && schema.title !== undefined ? [schema.title] : bodyOf(schema)

  function bodyOf(schema: Schema): string[] {
    if (schema.anyOf) return schema.anyOf.map(linesOf).reduce((before, option) => join(before, ' | ', option))
    if (schema.type === 'array')
      return schema.items ? join(join(['['], '', linesOf(schema.items)), '', [']']) : ['array']
    if (schema.type === 'object') return objectOf(schema)
    if (schema.const !== undefined) return [JSON.stringify(schema.const)]
    if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(' | ')]
    return [schema.format === 'date-time' ? 'timestamp' : (schema.type ?? 'any')]
  }

  function objectOf({ properties, required, additionalProperties: values }: Schema): string[] {
    const fields = Object.entries(properties ?? {}).map(([name, property]) =>
      fieldOf(required?.includes(name) ? name : `${name}?`, property),
    )
    const others = typeof values === 'object' ? [fieldOf('<name>', values)] : []
    return blockOf([...fields, ...others])
  }

  function fieldOf(name: string, schema: Schema, note = aboutValue(schema)): string[] {
    const [first = '', ...rest] = linesOf(schema)
    return [`${name}: ${first}${notes.print(`${name}: ${first}`, note)}`, ...rest]
  }

  const ofParam = ([name, schema]: readonly [string, Schema]) => fieldOf(name, schema).join('\n')

  function ofInputs({ fields, either }: Inputs): string {
    const lines = Object.entries(fields).map(([name, { schema, absent }]) => {
      const rule = either?.names.includes(name) ? `one of ${either.names.join(' and ')} is required` : ''
      return fieldOf(absent ? name : `${name}?`, schema, aboutValue(schema, rule))
    })
    return blockOf(lines).join('\n')
  }

  const ofReply = (schema: Schema) => linesOf(schema).join('\n')
  const printNamed = () =>
    [...shapes.values()]
      .filter(({ schema }) => isNamed(schema))
      .map(({ schema }) => join([`${schema.title} = `], '', bodyOf(schema)).join('\n'))

  // Printed once for counting.
  for (const param of params) ofParam(param)
  for (const input of inputs) ofInputs(input)
  for (const reply of replies) ofReply(reply)
  printNamed()
  notes.share()
  return { ofParam, ofInputs, ofReply, shapes: printNamed(), fields: notes.shared() }
}

/** The last line of the first, and the first line of the last, become one. */
const join = (before: readonly string[], between: string, after: readonly string[]): string[] => [
  ...before.slice(0, -1),
  `${before.at(-1)}${between}${after[0]}`,
  ...after.slice(1),
]

/** On one line if that is short and nothing has a note. */
function blockOf(fields: readonly (readonly string[])[]): string[] {
  const short = `{ ${fields.flat().join(', ')} }`
  if (fields.length === 0) return ['{}']
  const isShort = fields.every(({ length, 0: line }) => length === 1 && !line?.includes(' // '))
  if (isShort && short.length <= maxLineLength) return [short]
  return ['{', ...fields.flat().map((line) => `  ${line}`), '}']
}

/** Each titled shape in the order of its first use; what is inside of it counts once. */
function countShapes(schemas: readonly Schema[]) {
  const found = new Map<string, { schema: Schema; count: number }>()
  const visit = (schema: Schema): void => {
    const { title, properties = {}, items, anyOf = [], additionalProperties: values } = schema
    const known = title === undefined ? undefined : found.get(title)
    if (known) {
      known.count += 1
      return
    }
    if (title !== undefined) found.set(title, { schema, count: 1 })
    const parts = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
    for (const part of typeof values === 'object' ? [...parts, values] : parts) visit(part)
  }
  for (const schema of schemas) visit(schema)
  return found
}
