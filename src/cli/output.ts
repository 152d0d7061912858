import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Screen } from './progress.ts'

type Row = readonly string[]

/** Prints one JSON document for scripts, or lines for people. */
export function createOutput(stdout: Screen, stderr: Writable, json: boolean) {
  const write = async (text: string): Promise<void> => {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  return {
    json,
    write,
    /** A table, or on a terminal that is too narrow for it, each row as lines of its own. */
    list(heading: Row, rows: readonly Row[], { widths = widthsOf([heading, ...rows]), isFirst = true } = {}): string {
      const width = widths.reduce((sum, each) => sum + each + gap.length, -gap.length)
      if (stdout.isTTY && rows.length > 0 && width > (stdout.columns || 80))
        return `${isFirst ? '' : '\n'}${records(heading, rows)}`
      return table(isFirst ? [heading, ...rows] : rows, widths)
    },
    print: (document: object, lines: string) => write(json ? `${JSON.stringify(document)}\n` : `${lines}\n`),
    /** Writes a line to standard error, except with --json. */
    note: (line: string) => void (json || stderr.write(`${line}\n`)),
    fail: (message: string) => void stderr.write(`${json ? JSON.stringify({ error: message }) : message}\n`),
  }
}

export type Output = ReturnType<typeof createOutput>

const gap = '  '

function records(heading: Row, rows: readonly Row[]): string {
  const widths = widthsOf(heading.map((name) => [name]))
  return rows
    .map((row) =>
      table(
        heading.map((name, column) => [name, row[column] ?? '']),
        widths,
      ),
    )
    .join('\n\n')
}

/** Columns as wide as their widest cell, two spaces apart. */
export function table(rows: readonly Row[], widths = widthsOf(rows)): string {
  const line = (row: Row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(gap)
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

export function widthsOf(rows: readonly Row[]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
}

/** Quotes user input without terminal control sequences. */
export const quoted = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** Strips terminal control sequences and line breaks. */
export const onOneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ')
