/** JSON with its own line for each part down to `levels`, and one line for all of a deeper part. */
export function printJson(value: unknown, levels: number, indent = ''): string {
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const print = (part: unknown) => printJson(part, levels - 1, inner)
  const lines = Array.isArray(value)
    ? value.map(print)
    : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${print(part)}`)
  if (lines.length === 0) return JSON.stringify(value)
  const [start, end] = Array.isArray(value) ? '[]' : '{}'
  return `${start}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${end}`
}
