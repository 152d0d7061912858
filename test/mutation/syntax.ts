import { parseSync } from 'vite'

/** A node of the syntax tree, in the format that ESLint and Babel share. */
export interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

export const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

export const syntaxIn = (value: unknown): Syntax[] => (Array.isArray(value) ? value : [value]).filter(isSyntax)

/** Throws for a source that is not TypeScript: a mutant that does not even parse would count as killed. */
export function parse(path: string, source: string): Syntax {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors.map(({ message }) => message).join('; ')}`)
  return program as unknown as Syntax
}

export const withoutParentheses = (node: Syntax): Syntax =>
  node.type === 'ParenthesizedExpression' && isSyntax(node.expression) ? withoutParentheses(node.expression) : node

/** Types are erased, except for the value that they are said about: `x as T`, `x!`, `x satisfies T`. */
const saysTypeOf = /^TS(As|NonNull|Satisfies|Instantiation)Expression$/

/** What a program runs of this node: no types, no modules to import, no names of properties. */
export function parts(node: Syntax): Syntax[] {
  if (saysTypeOf.test(node.type)) return syntaxIn(node.expression)
  if (/^(TS|Import|ExportAll)/.test(node.type) && node.type !== 'ImportExpression') return []
  return Object.entries(node)
    .filter(([property]) => !(property === 'key' && node.computed !== true) && property !== 'source')
    .flatMap(([, value]) => syntaxIn(value))
}

/** Whether a statement declares this name, exported or not. */
export function declares(statement: Syntax, name: string): boolean {
  const { declaration, declarations, id } = statement
  if (isSyntax(declaration)) return declares(declaration, name)
  return [...syntaxIn(id), ...syntaxIn(declarations).flatMap((each) => syntaxIn(each.id))].some(
    (each) => each.name === name,
  )
}
