import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from './database.ts'
import { isDiskFull } from './postgres-errors.ts'

/** One statement, so that an instance that freezes cannot keep the row locked. */
const row = CompiledQuery.raw(
  'INSERT INTO probe VALUES (1, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET content = excluded.content',
)

/** On a full disk the row may still fit into its page; a new table never does. One query is one transaction. */
const room = CompiledQuery.raw(
  "CREATE TABLE probe_room (content text); INSERT INTO probe_room VALUES (''); DROP TABLE probe_room",
)

/** Proves that the server can save: by a row, or, after a write failed on a full disk, by a new table. */
export function createProof(kysely: Kysely<Tables>) {
  let isFull = false
  return {
    failed(error: unknown): void {
      if (isDiskFull(error)) isFull = true
    },
    async prove(): Promise<void> {
      await kysely.executeQuery(isFull ? room : row)
      isFull = false
    },
  }
}
