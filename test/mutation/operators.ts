import { mutatedPatterns } from './patterns.ts'
import { isSyntax, type Syntax, syntaxIn, withoutParentheses } from './syntax.ts'

/** One change: the characters from `start` to `end` become `text`. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

type Operator = (node: Syntax, source: string, parent: Syntax | null) => readonly Change[]

const whole = ({ start, end }: Syntax, ...texts: readonly string[]): Change[] =>
  texts.map((text) => ({ start, end, text }))
const own = (record: Readonly<Record<string, readonly string[]>>, key: unknown): readonly string[] =>
  Object.hasOwn(record, String(key)) ? (record[String(key)] ?? []) : []

/** The operator between two operands. */
function between(left: unknown, right: unknown, source: string, from: string, ...texts: readonly string[]): Change[] {
  if (!isSyntax(left) || !isSyntax(right)) return []
  const start = source.indexOf(from, left.end)
  return start < 0 || start >= right.start ? [] : texts.map((text) => ({ start, end: start + from.length, text }))
}

const comparisons = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
}
const sums = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
}
const assignments = {
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '%=': ['*='],
  '??=': ['&&='],
  '||=': ['&&='],
  '&&=': ['||='],
  '|=': ['&='],
  '&=': ['|='],
  '<<=': ['>>='],
  '>>=': ['<<='],
}
const logical = { '&&': ['||'], '||': ['&&'], '??': ['&&'] }

const methods = {
  startsWith: ['endsWith'],
  endsWith: ['startsWith'],
  trimStart: ['trimEnd'],
  trimEnd: ['trimStart'],
  toUpperCase: ['toLowerCase'],
  toLowerCase: ['toUpperCase'],
  some: ['every'],
  every: ['some'],
  min: ['max'],
  max: ['min'],
  floor: ['ceil'],
  ceil: ['floor'],
  indexOf: ['lastIndexOf'],
  lastIndexOf: ['indexOf'],
  find: ['findLast'],
  findLast: ['find'],
}
/** `text.trim()` becomes `text`. */
const leftOut = new Set([
  ...['trim', 'sort', 'toSorted', 'reverse', 'toReversed', 'filter', 'slice', 'substring', 'replace', 'replaceAll'],
  ...['normalize', 'flat', 'padStart', 'padEnd'],
])

const isText = (node: unknown): boolean =>
  isSyntax(node) && (node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string'))

const oneMore = (value: number) => String(value + 1)
const oneLess = (value: number) => (value < 1 ? `(${value - 1})` : String(value - 1))

const literal: Operator = (node, source, parent) => {
  const { value } = node
  if (isSyntax(parent) && typeof parent.directive === 'string') return []
  if (typeof value === 'boolean') return whole(node, String(!value))
  if (typeof value === 'string') return whole(node, value === '' ? `'mutant'` : `''`)
  if (typeof value === 'number') return whole(node, oneMore(value), oneLess(value))
  if (typeof value === 'bigint') return whole(node, `${value + 1n}n`, `(${value - 1n}n)`)
  if (typeof node.regex !== 'object' || node.regex === null) return []
  const { pattern, flags } = node.regex as { readonly pattern: string; readonly flags: string }
  return whole(node, ...mutatedPatterns(pattern, flags).map((changed) => `/${changed}/${flags}`)).filter(
    ({ text }) => text !== source.slice(node.start, node.end),
  )
}

/** A branch that is always or never taken. */
const condition = (test: unknown, ...texts: readonly string[]): Change[] =>
  syntaxIn(test)
    .filter(({ type, value }) => type !== 'Literal' || typeof value !== 'boolean')
    .flatMap((node) => whole(node, ...texts))

const choice: Operator = ({ test }) => condition(test, 'true', 'false')
const loop: Operator = ({ test }) => condition(test, 'false')

const binary: Operator = (node, source) => {
  const { left, right, operator } = node
  const compared = own(comparisons, operator)
  if (compared.length > 0)
    return [...between(left, right, source, String(operator), ...compared), ...whole(node, 'true', 'false')]
  if (isText(left) || isText(right)) return []
  return between(left, right, source, String(operator), ...own(sums, operator))
}

const logicalOperator: Operator = (node, source, parent) => {
  const sideOf = (side: unknown) => {
    if (!isSyntax(side)) return ''
    const text = source.slice(side.start, side.end)
    return side.type === 'LogicalExpression' ? `(${text})` : text
  }
  const changed = own(logical, node.operator).map((other) => `${sideOf(node.left)} ${other} ${sideOf(node.right)}`)
  const isInside = parent?.type === 'LogicalExpression'
  return whole(
    node,
    ...changed.map((text) => (isInside ? `(${text})` : text)),
    ...(node.operator === '??' ? [] : ['true', 'false']),
  )
}

const call: Operator = (node, source) => {
  const { callee } = node
  if (!isSyntax(callee)) return []
  const skipped = node.optional === true ? optional(callee.end, source, '') : []
  const { object, property } = callee
  if (callee.type !== 'MemberExpression' || callee.computed === true || !isSyntax(property) || !isSyntax(object))
    return skipped
  const { name } = property
  return [
    ...skipped,
    ...whole(property, ...own(methods, name)),
    ...(leftOut.has(String(name)) ? whole(node, source.slice(object.start, object.end)) : []),
  ]
}

const optional = (from: number, source: string, text: string): Change[] => {
  const start = source.indexOf('?.', from)
  return [{ start, end: start + 2, text }]
}

const member: Operator = (node, source) =>
  node.optional === true && isSyntax(node.object)
    ? optional(node.object.end, source, node.computed === true ? '' : '.')
    : []

const block: Operator = (node) => (syntaxIn(node.body).length > 0 ? whole(node, '{}') : [])

const isUndefined = (node: Syntax) => node.type === 'Identifier' && node.name === 'undefined'

export const operators: Readonly<Record<string, Operator>> = {
  Literal: literal,
  TemplateLiteral: (node) => (isUsualTemplate(node) ? whole(node, '``') : []),
  BinaryExpression: binary,
  LogicalExpression: logicalOperator,
  AssignmentExpression: ({ left, right, operator }, source) =>
    between(left, right, source, String(operator), ...own(assignments, operator)),
  UnaryExpression: (node, source) => {
    if (!isSyntax(node.argument)) return []
    const { start, end } = node.argument
    if (node.operator === '!') return whole(node, source.slice(start, end))
    if (node.operator === '-') return whole(node, `+${source.slice(start, end)}`)
    return node.operator === '+' || node.operator === '~' ? whole(node, source.slice(start, end)) : []
  },
  UpdateExpression: ({ start, end, operator, prefix }) => {
    const at = prefix === true ? start : end - 2
    return [{ start: at, end: at + 2, text: operator === '++' ? '--' : '++' }]
  },
  IfStatement: choice,
  ConditionalExpression: choice,
  WhileStatement: loop,
  DoWhileStatement: loop,
  ForStatement: loop,
  SwitchCase: ({ consequent }) => {
    const statements = syntaxIn(consequent)
    const [first, last] = [statements[0], statements.at(-1)]
    return first && last ? [{ start: first.start, end: last.end, text: '' }] : []
  },
  BlockStatement: block,
  ArrowFunctionExpression: ({ body }) =>
    syntaxIn(body)
      .filter((each) => each.type !== 'BlockStatement' && !isUndefined(withoutParentheses(each)))
      .flatMap((each) => whole(each, 'undefined')),
  ReturnStatement: ({ argument }) =>
    syntaxIn(argument)
      .filter((each) => !isUndefined(each))
      .flatMap((each) => whole(each, 'undefined')),
  ExpressionStatement: (node) =>
    typeof node.directive === 'string' || isSuperCall(node.expression) ? [] : whole(node, 'undefined'),
  ArrayExpression: (node) => whole(node, syntaxIn(node.elements).length > 0 ? '[]' : `['mutant']`),
  ObjectExpression: (node) => (syntaxIn(node.properties).length > 0 ? whole(node, '{}') : []),
  CallExpression: call,
  MemberExpression: member,
}

const isUsualTemplate = (node: Syntax) => syntaxIn(node.expressions).length > 0 || node.end - node.start > 2
const isSuperCall = (node: unknown) => isSyntax(node) && isSyntax(node.callee) && node.callee.type === 'Super'
