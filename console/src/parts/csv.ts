export type Value = string | number | boolean | null

/** RFC 4180. */
export const csvOf = (rows: readonly (readonly Value[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

function cellOf(value: Value): string {
  if (value === null) return ''
  // Spreadsheets would run it as a formula.
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
