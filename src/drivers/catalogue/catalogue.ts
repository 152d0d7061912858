import type { Catalogue, CatalogueEntry, Listing } from '../../images/catalogue.ts'
import type { Kind } from '../../images/kinds.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { inTransaction as runTransaction } from '../sqlite/schema.ts'
import { mapIfLarge, openCatalogueFile } from './catalogue-file.ts'
import { Marks } from './marks.ts'

export interface CatalogueOptions {
  readonly dataDir: string
  /** Names the store and the bucket that it is about. */
  readonly source: string
  readonly kinds: readonly Kind[]
  /** Whether a file that is about another store, or damaged, may be made anew. */
  readonly mayReplace: boolean
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** No kind has more objects. */
const mostOfKind = 2 ** 40
/** Drawn ahead at a time, once a kind is asked for often: one look for many answers. */
const mostAhead = 256
const portion = 500
const columns = 'filename, etag, size, modified'

interface KindState {
  readonly id: number
  /** Drawn ahead, uniformly and each on its own. Any change of the kind throws them away, whatever they are. */
  ahead: CatalogueEntry[]
  nextAhead: number
  walk: Walk | null
}

/** A listing under way: what it has seen, and what changed since its page was asked for. */
interface Walk {
  readonly marks: Marks
  readonly touched: Set<string>
}

/** The catalogue in a file of its own. Ordinals are dense: a removed entry's place is taken by the last one. */
export function openCatalogue(options: CatalogueOptions): Catalogue {
  const { dataDir, source, kinds, mayReplace, random } = options
  const connection = openCatalogueFile(dataDir, source, mayReplace)
  const { db } = connection
  const get = (sql: string, ...params: (string | number)[]) => connection.get(sql, params)
  const all = (sql: string, ...params: (string | number)[]) => connection.run(sql, params).rows
  const run = (sql: string, ...params: (string | number)[]) => connection.run(sql, params).changes

  const inTransaction = <T>(act: () => T) => runTransaction(db, 'IMMEDIATE', act)

  const states = inTransaction(() => prepareKinds(connection, kinds, mayReplace))
  const stateOf = (kind: Kind) => states.get(kind) as KindState
  const entry = (row: unknown) => row as CatalogueEntry
  const countOf = ({ id }: KindState) => Number(get('SELECT count FROM kinds WHERE id = ?', id)?.count)
  const slotOf = ({ id }: KindState, ordinal: number) => id * mostOfKind + ordinal
  const dataVersion = () => Number(get('PRAGMA data_version')?.data_version)

  // Rows as arrays: objects of SQLite's are slow to make and to read.
  const draws = db.prepare(`SELECT ${columns} FROM json_each(?) CROSS JOIN objects ON slot = ? + value`)
  draws.setReturnArrays(true)

  const changed = (state: KindState) => {
    state.ahead = []
    state.nextAhead = 1
  }

  const drawAhead = (state: KindState): CatalogueEntry | undefined => {
    const count = countOf(state)
    if (count === 0) return undefined
    const ordinals = Array.from({ length: state.nextAhead }, () => Math.floor(random() * count))
    state.nextAhead = Math.min(state.nextAhead * 2, mostAhead)
    state.ahead = draws.all(`[${ordinals.join(',')}]`, slotOf(state, 0)).map((row) => {
      const [filename, etag, size, modified] = row as unknown as [string, string, number, number]
      return { filename, etag, size, modified }
    })
    return state.ahead.pop()
  }

  /** In a transaction. False if it was so already. */
  const store = (state: KindState, { filename, etag, size, modified }: CatalogueEntry): boolean => {
    const known = get(`SELECT slot, ${columns} FROM objects WHERE kind = ? AND filename = ?`, state.id, filename)
    const ordinal = known ? Number(known.slot) - slotOf(state, 0) : countOf(state)
    state.walk?.marks.set(ordinal)
    if (!known) {
      const slot = slotOf(state, ordinal)
      run(
        `INSERT INTO objects (slot, kind, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
        slot,
        state.id,
        filename,
        etag,
        size,
        modified,
      )
      run('UPDATE kinds SET count = count + 1, bytes = bytes + ? WHERE id = ?', size, state.id)
      return true
    }
    if (known.etag === etag && known.size === size && known.modified === modified) return false
    run('UPDATE objects SET etag = ?, size = ?, modified = ? WHERE slot = ?', etag, size, modified, Number(known.slot))
    run('UPDATE kinds SET bytes = bytes + ? WHERE id = ?', size - Number(known.size), state.id)
    return true
  }

  /** In a transaction: the last one moves into the hole. */
  const drop = (state: KindState, slot: number, size: number): void => {
    const last = slotOf(state, countOf(state) - 1)
    run('DELETE FROM objects WHERE slot = ?', slot)
    if (last !== slot) run('UPDATE objects SET slot = ? WHERE slot = ?', slot, last)
    run('UPDATE kinds SET count = count - 1, bytes = bytes - ? WHERE id = ?', size, state.id)
    state.walk?.marks.move(last - slotOf(state, 0), slot - slotOf(state, 0))
  }

  const isSame = (state: KindState, walk: Walk, found: CatalogueEntry): boolean => {
    const known = get(`SELECT slot, ${columns} FROM objects WHERE kind = ? AND filename = ?`, state.id, found.filename)
    if (known?.etag !== found.etag || known.size !== found.size || known.modified !== found.modified) return false
    walk.marks.set(Number(known.slot) - slotOf(state, 0))
    return true
  }

  const listing = (kind: Kind): Listing => {
    const state = stateOf(kind)
    const walk: Walk = { marks: new Marks(), touched: new Set() }
    // What another process changed meanwhile is not known here: now and then all is drawn anew.
    changed(state)
    mapIfLarge(connection)
    const version = dataVersion()
    let below = Number.POSITIVE_INFINITY
    state.walk = walk
    return {
      expect: () => walk.touched.clear(),
      take(page) {
        const fresh = page.filter(({ filename }) => !walk.touched.has(filename))
        const others = fresh.filter((found) => !isSame(state, walk, found))
        if (others.length === 0) return []
        changed(state)
        return inTransaction(() => others.filter((found) => store(state, found))).map(({ filename }) => filename)
      },
      end() {
        // Where another process moved entries meanwhile, the marks are those of others: nothing is dropped this time.
        if (state.walk !== walk || dataVersion() !== version) {
          if (state.walk === walk) state.walk = null
          return null
        }
        const dropped = inTransaction(() => dropUnmarked())
        if (dropped.length > 0) {
          changed(state)
          return dropped
        }
        state.walk = null
        run('UPDATE kinds SET complete = 1 WHERE id = ? AND complete = 0', state.id)
        return null
      },
    }

    function dropUnmarked(): string[] {
      const dropped: string[] = []
      while (dropped.length < portion) {
        below = walk.marks.lastUnmarked(Math.min(below, countOf(state) - 1))
        if (below < 0) break
        const slot = slotOf(state, below)
        const row = get('SELECT filename, size FROM objects WHERE slot = ?', slot)
        drop(state, slot, Number(row?.size))
        dropped.push(String(row?.filename))
      }
      return dropped
    }
  }

  return {
    listing,
    count: (kind) => countOf(stateOf(kind)),
    pick(kind) {
      const state = stateOf(kind)
      return state.ahead.pop() ?? drawAhead(state) ?? null
    },
    at(kind, ordinal) {
      const row = get(`SELECT ${columns} FROM objects WHERE slot = ?`, slotOf(stateOf(kind), ordinal))
      return row ? entry(row) : null
    },
    find(kind, filename) {
      const row = get(`SELECT ${columns} FROM objects WHERE kind = ? AND filename = ?`, stateOf(kind).id, filename)
      return row ? entry(row) : null
    },
    page: (kind, after, limit) =>
      all(
        `SELECT ${columns} FROM objects WHERE kind = ? AND filename > ? ORDER BY filename LIMIT ?`,
        stateOf(kind).id,
        after,
        limit,
      ).map(entry),
    summary(kind) {
      const { id } = stateOf(kind)
      const row = get('SELECT count, bytes FROM kinds WHERE id = ?', id)
      const newest = get('SELECT max(modified) AS newest FROM objects WHERE kind = ?', id)?.newest ?? null
      return { count: Number(row?.count), bytes: Number(row?.bytes), newest: newest === null ? null : Number(newest) }
    },
    put(kind, found) {
      const state = stateOf(kind)
      state.walk?.touched.add(found.filename)
      changed(state)
      inTransaction(() => store(state, found))
    },
    remove(kind, filename) {
      const state = stateOf(kind)
      state.walk?.touched.add(filename)
      changed(state)
      inTransaction(() => {
        const row = get('SELECT slot, size FROM objects WHERE kind = ? AND filename = ?', state.id, filename)
        if (row) drop(state, Number(row.slot), Number(row.size))
      })
    },
    isComplete: (kind) => get('SELECT complete FROM kinds WHERE id = ?', stateOf(kind).id)?.complete === 1,
    close: () => connection.close(),
  }
}

/** A kind that is no more takes its objects with it. */
function prepareKinds(connection: SqliteConnection, kinds: readonly Kind[], mayReplace: boolean): Map<Kind, KindState> {
  for (const { id, name } of connection.run('SELECT id, name FROM kinds', []).rows) {
    if (!mayReplace || (kinds as readonly string[]).includes(String(name))) continue
    connection.run('DELETE FROM objects WHERE kind = ?', [Number(id)])
    connection.run('DELETE FROM kinds WHERE id = ?', [Number(id)])
  }
  return new Map(
    kinds.map((kind) => {
      connection.run('INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING', [kind])
      const id = Number(connection.get('SELECT id FROM kinds WHERE name = ?', [kind])?.id)
      return [kind, { id, ahead: [], nextAhead: 1, walk: null }]
    }),
  )
}
