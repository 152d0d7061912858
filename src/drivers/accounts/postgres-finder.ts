import type { Database, Find, RowQuery } from './database.ts'
import { checkOut } from './postgres-checkout.ts'
import type { ConnectionPool } from './postgres-pool.ts'

/** One statement finds all rows that one turn of the event loop asks for; it is sent after the turn. */
export const createFinder =
  (pool: ConnectionPool): Database['finder'] =>
  <Row extends object, Found>({ columns, from, key }: RowQuery, read: (row: Row) => Found | null): Find<Found> => {
    const text = `SELECT ${key} AS key, ${columns.join(', ')} FROM ${from} WHERE ${key} = ANY($1::text[])`
    let batch = new Map<string, PromiseWithResolvers<Found | null>>()

    const send = async () => {
      const asked = batch
      batch = new Map()
      try {
        const client = await checkOut(pool)
        const sent = client.query<Row & { key: string }>(text, [[...asked.keys()]])
        const { rows } = await sent.finally(client.release)
        const found = new Map(rows.map((row) => [row.key, row]))
        for (const [key, { resolve }] of asked) {
          const row = found.get(key)
          resolve(row ? read(row) : null)
        }
      } catch (error) {
        for (const { reject } of asked.values()) reject(error)
      }
    }

    return (key) => {
      if (batch.size === 0) setImmediate(send)
      const asked = batch.get(key) ?? Promise.withResolvers<Found | null>()
      batch.set(key, asked)
      return asked.promise
    }
  }
