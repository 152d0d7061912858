import { createLru } from '../../lib/lru.ts'
import type { Database, FindRow, RowQuery } from './database.ts'

const maxKept = 10_000

/** `mark` changes with every commit, including those of other processes: a row is cached until then. */
export const createFinder =
  (mark: () => number, get: (sql: string, key: string) => object | undefined): Database['finder'] =>
  <Row extends object>({ columns, from, key }: RowQuery): FindRow<Row> => {
    const text = `SELECT ${columns.join(', ')} FROM ${from} WHERE ${key} = ?`
    const kept = createLru<{ readonly mark: number; readonly row: Row | null }>(maxKept)
    return (value) => {
      const now = mark()
      const known = kept.get(value)
      if (known?.mark === now) return known.row
      const row = (get(text, value) as Row | undefined) ?? null
      kept.set(value, { mark: now, row })
      return row
    }
  }
