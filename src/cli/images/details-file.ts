import { readFile } from 'node:fs/promises'
import { Refused } from '../../http/refusal.ts'
import { readChange } from '../../images/details/detail-fields.ts'
import { type DetailValues, detailNames, type ImageDetails, setDetails } from '../../images/details/details.ts'
import { messageOf } from '../../lib/failure.ts'
import { Failed } from '../failure.ts'
import { onOneLine, quoted } from '../output.ts'
import { csvRow, readCsv } from './csv.ts'

/* Details of many images: CSV with a column for each field, or a JSON array of objects. */

/** A row with its place in the file: its line, or in JSON its number. */
export interface DetailsRow {
  readonly row: number
  readonly name: string
  readonly values: DetailValues
}

export interface FailedRow {
  readonly row: number
  readonly name: string
  readonly reason: string
}

export interface DetailsFile {
  readonly rows: readonly DetailsRow[]
  readonly failed: readonly FailedRow[]
}

const columns: readonly string[] = ['name', ...detailNames]

/** Throws Failed if the file as a whole cannot be used; bad rows are reported. */
export async function readDetailsFile(path: string): Promise<DetailsFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failed(`${quoted(path)} cannot be read (${error.code}).`)
  })
  // All of it, so that a file with an unknown column changes nothing.
  const found = [...(isJson(path) ? jsonRows(path, text) : csvRows(path, text))]
  const [rows, failed, seen]: [DetailsRow[], FailedRow[], Set<string>] = [[], [], new Set()]
  for (const { row, given, fault = null } of found) {
    const name = typeof given.name === 'string' ? given.name : ''
    try {
      if (fault !== null) throw new Failed(fault)
      if (name === '') throw new Failed('it has no name')
      if (seen.has(name)) throw new Failed('an earlier row has this name')
      seen.add(name)
      rows.push({ row, name, values: valuesOf(given) })
    } catch (error) {
      if (!(error instanceof Failed || error instanceof Refused)) throw error
      failed.push({ row, name: onOneLine(name), reason: onOneLine(error.message) })
    }
  }
  return { rows, failed }
}

/** `.csv` unless it ends with `.json`. */
export const isJson = (path: string) => path.toLowerCase().endsWith('.json')

interface GivenRow {
  readonly row: number
  readonly given: Readonly<Record<string, unknown>>
  /** Why the row cannot be read. */
  readonly fault?: string
}

function* csvRows(path: string, text: string): Generator<GivenRow> {
  let names: readonly string[] | null = null
  try {
    for (const { line, cells } of readCsv(text)) {
      if (names === null) {
        names = cells.map((each) => each.trim())
        checkColumns(path, names)
      } else if (cells.length !== names.length)
        yield { row: line, given: {}, fault: `it has ${cells.length} cells, and the heading ${names.length}` }
      else yield { row: line, given: Object.fromEntries(names.map((name, index) => [name, cells[index]])) }
    }
  } catch (error) {
    throw error instanceof RangeError ? new Failed(`${quoted(path)}: ${error.message}.`) : error
  }
  if (names === null) checkColumns(path, [])
}

function checkColumns(path: string, names: readonly string[]): void {
  const unknown = names.find((name) => !columns.includes(name))
  const expected = `expected name and any of ${detailNames.join(', ')}`
  if (unknown !== undefined) throw new Failed(`${quoted(path)}: unknown column ${quoted(unknown)}; ${expected}.`)
  if (new Set(names).size < names.length) throw new Failed(`${quoted(path)}: a column is there twice; ${expected}.`)
  if (!names.includes('name')) throw new Failed(`${quoted(path)}: there is no column name; ${expected}.`)
}

function* jsonRows(path: string, text: string): Generator<GivenRow> {
  let all: unknown
  try {
    all = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new Failed(`${quoted(path)} is not JSON: ${onOneLine(messageOf(error))}`)
  }
  if (!Array.isArray(all)) throw new Failed(`${quoted(path)}: expected an array of objects with name and details.`)
  for (const [index, given] of (all as readonly unknown[]).entries()) {
    const row = index + 1
    if (typeof given !== 'object' || given === null) yield { row, given: {}, fault: 'it is not an object' }
    else {
      checkColumns(path, [...new Set(['name', ...Object.keys(given)])])
      yield { row, given: given as GivenRow['given'] }
    }
  }
}

/** An empty text removes. */
function valuesOf({ name: _, tags, ...texts }: GivenRow['given']): DetailValues {
  for (const [name, text] of Object.entries(texts))
    if (text !== null && typeof text !== 'string') throw new Failed(`${name} must be a string`)
  const given = Object.entries(texts).map(([name, text]) => [name, text === '' ? null : text])
  return readChange({ ...Object.fromEntries(given), ...(tags !== undefined && { tags: tagsOf(tags) }) })
}

function tagsOf(tags: unknown): readonly string[] {
  if (tags === null) return []
  if (typeof tags === 'string') return splitTags(tags)
  if (Array.isArray(tags) && tags.every((each) => typeof each === 'string')) return tags
  throw new Failed('tags must be a list of strings')
}

/** Separated by commas or spaces. */
export const splitTags = (text: string): readonly string[] => text.split(/[\s,]+/).filter((tag) => tag !== '')

export const csvHeading = csvRow(columns)
export const csvOf = (name: string, { tags, ...texts }: ImageDetails): string => {
  const values = { name, ...texts, tags: tags.join(' ') }
  return csvRow(columns.map((column) => values[column as keyof typeof values] ?? ''))
}
export const jsonOf = (name: string, details: ImageDetails): string => JSON.stringify({ name, ...setDetails(details) })
