/* CSV as in RFC 4180, with either line break. Strict: what another program could read differently is refused. */

export interface CsvRow {
  /** Of its first line, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** A cell and what ends it. */
const cell = /("[^"]*(?:""[^"]*)*"|[^",\r\n]*)(,|\r?\n|$)/y

/** Skips empty lines. Throws a RangeError that names the line. */
export function* readCsv(text: string): Generator<CsvRow> {
  let line = 1
  let startedAt = 1
  let cells: string[] = []
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length || cells.length > 0; ) {
    cell.lastIndex = at
    const [whole, content = '', end = ''] = cell.exec(text) ?? refuse(line)
    at += whole.length
    cells.push(content.startsWith('"') ? content.slice(1, -1).replaceAll('""', '"') : content)
    line += whole.split('\n').length - 1
    if (end === ',') continue
    if (cells.length > 1 || cells[0] !== '') yield { line: startedAt, cells }
    cells = []
    startedAt = line
  }
}

function refuse(line: number): never {
  throw new RangeError(`line ${line} is not CSV: a quote is not closed, or a cell that is not quoted contains one`)
}

export const csvRow = (cells: readonly string[]) =>
  `${cells.map((each) => (/[",\r\n]/.test(each) ? `"${each.replaceAll('"', '""')}"` : each)).join()}\r\n`
