import type { PostgresPoolClient } from 'kysely'
import { Unavailable } from '../../lib/unavailable.ts'
import type { Database, FindRow, RowQuery } from './database.ts'
import { checkOut } from './postgres-checkout.ts'
import { endsConnection } from './postgres-errors.ts'
import type { ConnectionPool } from './postgres-pool.ts'

interface Asked {
  readonly query: RowQuery
  readonly key: string
  readonly resolve: (row: object | null) => void
  readonly reject: (error: unknown) => void
}

type Groups = ReadonlyMap<RowQuery, readonly Asked[]>

/** How long turns wait for the statement in progress, so that fewer and larger ones are sent under load. */
const patienceMs = 2

/**
 * Batches all queries of one turn of the event loop into one statement, sent after the turn. Turns that end while the
 * last statement is in progress share the next one. While every connection is in use, batches wait, each as long as the
 * pool allows, and the first connection serves all of them.
 */
export function createFinder(pool: ConnectionPool): Database['finder'] {
  let asked: Asked[] = []
  let latest: readonly Asked[] | null = null
  let isWatching = false
  const waiting = new Set<readonly Asked[]>()

  const send = async () => {
    const own = asked
    asked = []
    latest = own
    waiting.add(own)
    const client = await checkOut(pool).catch((error) => {
      if (waiting.delete(own)) fail(own, error)
    })
    if (client) {
      const groups = Map.groupBy([...waiting].flat(), ({ query }) => query)
      waiting.clear()
      if (groups.size > 0) await answer(client, groups)
      client.release()
    }
    if (latest !== own) return
    latest = null
    if (asked.length > 0) setImmediate(send)
  }

  // One timer at a time: one per statement would cost more.
  const watch = () => {
    if (isWatching) return
    isWatching = true
    const watched = latest
    setTimeout(() => {
      isWatching = false
      if (latest === null || asked.length === 0) return
      if (latest === watched) void send()
      else watch()
    }, patienceMs)
  }

  return <Row extends object>(query: RowQuery): FindRow<Row> =>
    (key) =>
      new Promise<Row | null>((resolve, reject) => {
        if (asked.length === 0) {
          if (latest === null) setImmediate(send)
          else watch()
        }
        asked.push({ query, key, resolve: resolve as Asked['resolve'], reject })
      })
}

/** Never rejects. If the server refuses a statement with several queries, each is sent by itself. */
async function answer(client: PostgresPoolClient, groups: Groups): Promise<void> {
  try {
    const found = await read(client, groups)
    for (const [query, asked] of groups)
      for (const { key, resolve } of asked) resolve(found.get(query)?.get(key) ?? null)
  } catch (error) {
    const reason = error instanceof Unavailable ? error.cause : error
    if (groups.size === 1 || endsConnection(reason)) for (const asked of groups.values()) fail(asked, error)
    else for (const group of groups) await answer(client, new Map([group]))
  }
}

async function read(client: PostgresPoolClient, groups: Groups) {
  const queries = [...groups.keys()]
  const keys = [...groups.values()].map((asked) => [...new Set(asked.map(({ key }) => key))])
  const { rows } = await client.query<{ place: number; key: string; row: object }>(textOf(queries), keys)
  const found = new Map(queries.map((query) => [query, new Map<string, object>()]))
  for (const { place, key, row } of rows) found.get(queries[place] as RowQuery)?.set(key, row)
  return found
}

/** Rows are JSON, since each query has its own columns. */
const textOf = (queries: readonly RowQuery[]) =>
  queries
    .map(
      ({ columns, from, key }, place) =>
        `SELECT ${place} AS place, found.key, to_json(found) AS row FROM
          (SELECT ${key} AS key, ${columns.join(', ')} FROM ${from} WHERE ${key} = ANY($${place + 1}::text[])) AS found`,
    )
    .join(' UNION ALL ')

function fail(asked: readonly Asked[], error: unknown): void {
  for (const { reject } of asked) reject(error)
}
