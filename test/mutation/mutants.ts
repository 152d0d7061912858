import { type Change, operators } from './operators.ts'
import { declares, parse, parts, type Syntax } from './syntax.ts'

export interface Mutant {
  /** The line that changes, with the change in it: `if (count ⟦< → <=⟧ max) return`. Does not depend on other lines. */
  readonly name: string
  readonly line: number
  readonly source: string
}

/** Every source that differs from this one by one small mistake, in one of the declarations with these names. */
export function mutantsOf(path: string, source: string, only?: readonly string[]): Mutant[] {
  const changes = new Map<string, Change>()
  const visit = (node: Syntax, parent: Syntax | null) => {
    if (Object.hasOwn(operators, node.type))
      for (const change of operators[node.type]?.(node, source, parent) ?? [])
        changes.set(`${change.start} ${change.end} ${change.text}`, change)
    for (const part of parts(node)) visit(part, node)
  }
  const program = parse(path, source)
  const missing = only?.filter((name) => !parts(program).some((statement) => declares(statement, name))) ?? []
  if (missing.length > 0) throw new Error(`${path} does not declare ${missing.join(', ')}`)
  const isChosen = (statement: Syntax) => only === undefined || only.some((name) => declares(statement, name))
  for (const statement of parts(program)) if (isChosen(statement)) visit(statement, program)
  return [...changes.values()]
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map((change) => mutantOf(path, source, change))
}

function mutantOf(path: string, source: string, { start, end, text }: Change): Mutant {
  const mutated = source.slice(0, start) + text + source.slice(end)
  parse(path, mutated)
  const lineStart = source.lastIndexOf('\n', start - 1) + 1
  const lineEnd = source.indexOf('\n', end)
  const [before, after] = [source.slice(lineStart, start), source.slice(end, lineEnd < 0 ? undefined : lineEnd)]
  return {
    name: `${before.trimStart()}⟦${inOneLine(source.slice(start, end))} → ${inOneLine(text)}⟧${after}`.trimEnd(),
    line: source.slice(0, start).split('\n').length,
    source: mutated,
  }
}

/** A long text is known by its start and its end. */
function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= 80 ? line : `${line.slice(0, 50)} … ${line.slice(-25)}`
}
