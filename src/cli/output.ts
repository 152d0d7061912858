import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Prints one JSON document for scripts, or lines for people. */
export function createOutput(stdout: Writable, stderr: Writable, json: boolean) {
  const write = async (text: string): Promise<void> => {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  return {
    json,
    write,
    print: (document: object, lines: string) => write(json ? `${JSON.stringify(document)}\n` : `${lines}\n`),
    /** Writes a line to standard error, except with --json. */
    note: (line: string) => void (json || stderr.write(`${line}\n`)),
    fail: (message: string) => void stderr.write(`${json ? JSON.stringify({ error: message }) : message}\n`),
  }
}

export type Output = ReturnType<typeof createOutput>

/** Columns as wide as their widest cell, two spaces apart. */
export function table(rows: readonly (readonly string[])[], widths = widthsOf(rows)): string {
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

export function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
}

/** Quotes user input without terminal control sequences. */
export const quoted = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** Strips terminal control sequences and line breaks. */
export const onOneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ')
