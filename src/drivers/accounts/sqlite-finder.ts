import { createLru } from '../../lib/lru.ts'
import type { Database, Find, RowQuery } from './database.ts'

const maxCached = 10_000

/** `mark` changes with every commit, including those of other processes: a row is cached until then. */
export const createFinder =
  (mark: () => number, get: (sql: string, key: string) => object | undefined): Database['finder'] =>
  <Row extends object, Found>({ columns, from, key }: RowQuery, read: (row: Row) => Found | null): Find<Found> => {
    const text = `SELECT ${columns.join(', ')} FROM ${from} WHERE ${key} = ?`
    const cache = createLru<{ readonly mark: number; readonly row: Row | undefined }>(maxCached)
    return (value) => {
      const now = mark()
      let cached = cache.get(value)
      if (cached?.mark !== now) {
        cached = { mark: now, row: get(text, value) as Row | undefined }
        cache.set(value, cached)
      }
      return cached.row ? read(cached.row) : null
    }
  }
