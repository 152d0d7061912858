import type { Field, Fields } from '../http/fields.ts'
import type { Schema } from '../http/schema.ts'

/** One line of a table of fields. */
export type FieldRow = ReturnType<typeof row>

export function inputRows({ fields, either }: Fields<unknown>): FieldRow[] {
  return Object.entries(fields).map(([name, field]: [string, Field<unknown>]) => {
    const plain = row(name, field.schema)
    const rule = either?.names.includes(name) ? [`one of ${either.names.join(' and ')} is required`] : []
    return { ...plain, required: field.absent !== undefined, constraints: [...plain.constraints, ...rule] }
  })
}

/** Every field of a reply, depth first. */
export function replyRows(schema: Schema, path = ''): FieldRow[] {
  if (schema.type === 'array') return schema.items ? replyRows(schema.items, `${path}[]`) : []
  const option = schema.anyOf?.find(({ type }) => type !== 'null')
  if (option) return replyRows(option, path)
  const prefix = path && `${path}.`
  const values = schema.additionalProperties
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      { ...row(`${prefix}${name}`, property), required: schema.required?.includes(name) ?? false },
      ...replyRows(property, `${prefix}${name}`),
    ]),
    ...(typeof values === 'object' ? [row(`${prefix}<name>`, values), ...replyRows(values, `${prefix}<name>`)] : []),
  ]
}

/** Description and constraints as sentences, with code in backticks. */
export const aboutField = ({ description, constraints }: Pick<FieldRow, 'description' | 'constraints'>): string =>
  sentencesOf(description, constraints)

/** The same for a value whose type is printed with its constants. */
export function aboutValue(schema: Schema, rule = ''): string {
  const { const: _, enum: __, ...stated } = statedIn(schema)
  return sentencesOf(stated.description ?? '', [...constraintsOf(stated), ...(rule ? [rule] : [])])
}

function sentencesOf(description: string, constraints: readonly string[]): string {
  const rules = constraints.join('; ')
  const sentences = [description, rules.slice(0, 1).toUpperCase() + rules.slice(1)].filter((text) => text !== '')
  return sentences.map((text) => `${text.replace(/\.$/, '')}.`).join(' ')
}

/** `name`: the full path, such as `user.id` or `images[].url`. Code is in backticks. */
export function row(name: string, schema: Schema) {
  const stated = statedIn(schema)
  return {
    name,
    type: typeOf(schema),
    required: true,
    constraints: constraintsOf(stated),
    values: stated.enum ?? stated.items?.enum ?? [],
    description: stated.description ?? '',
  }
}

/** A value that may be null has the constraints of the value. */
function statedIn(schema: Schema): Schema {
  const [value, none] = schema.anyOf ?? []
  return value && none?.type === 'null' ? { ...value, ...schema } : schema
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.format === 'date-time') return 'timestamp'
  if (schema.type === 'array') return schema.items ? `array of ${typeOf(schema.items)}` : 'array'
  return schema.type ?? 'any'
}

function constraintsOf(schema: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, pattern } = schema
  return [
    ...(schema.const !== undefined ? [`always \`${schema.const}\``] : []),
    ...(schema.enum ? [`one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`] : []),
    ...range(minLength, maxLength, ' characters'),
    ...range(minimum, maximum, ''),
    ...(pattern !== undefined ? [`matches \`${pattern}\``] : []),
    ...(schema.default !== undefined ? [`\`${schema.default}\` by default`] : []),
  ]
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`]
  if (min !== undefined) return [`at least ${min}${unit}`]
  return max !== undefined ? [`at most ${max}${unit}`] : []
}
