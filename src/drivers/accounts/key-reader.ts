import { CompiledQuery } from 'kysely'
import type { KeyHolder } from '../../accounts/keys.ts'
import type { Users } from '../../accounts/users.ts'
import { createLru } from '../../lib/lru.ts'
import { type PrincipalRow, principalColumns, principalOf } from './account-rows.ts'
import type { Database, StoreDeps } from './database.ts'
import { type InUseRow, inUseColumns, inUseOf } from './key-rows.ts'

/** A key, its owner, and the end of the secret that was sent. */
interface Row extends InUseRow, Omit<PrincipalRow, 'id'> {
  readonly secret_expires_at: number | null
}

const columns = [
  ...inUseColumns.map((name) => `api_keys.${name}`),
  ...principalColumns.filter((name) => name !== 'id').map((name) => `users.${name}`),
  'key_secrets.expires_at AS secret_expires_at',
]
const textWith = (parameter: string) => `SELECT ${columns.join(', ')}
  FROM key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id JOIN users ON users.id = api_keys.user_id
  WHERE key_secrets.hash = ${parameter}`

const maxKept = 10_000

/** One statement for each request with a key; SQLite as for tokens: cached as long as nothing was written. */
export function createKeyReader({ kysely, instant }: Database, { clock }: StoreDeps): Users['findKey'] {
  if (!instant) {
    const sql = textWith('$1')
    return async (secretHash) => {
      const { rows } = await kysely.executeQuery(CompiledQuery.raw(sql, [secretHash]))
      return rows[0] ? holderOf(rows[0] as Row, clock.now()).holder : null
    }
  }
  const sql = textWith('?')
  const kept = createLru<{ readonly mark: number } & Found>(maxKept)
  return (secretHash) => {
    const mark = instant.mark()
    const known = kept.get(secretHash)
    if (known?.mark === mark && clock.now() < known.until) return known.holder
    const row = instant.get(sql, secretHash) as Row | undefined
    const found = row ? holderOf(row, clock.now()) : { holder: null, until: Infinity }
    kept.set(secretHash, { mark, ...found })
    return found.holder
  }
}

interface Found {
  readonly holder: KeyHolder | null
  /** Until then time alone changes nothing. */
  readonly until: number
}

function holderOf(row: Row, now: number): Found {
  const user = principalOf({ ...row, id: row.user_id }, now)
  const ends = [row.expires_at, row.secret_expires_at].filter((at) => at !== null)
  if (ends.some((at) => at <= now)) return { holder: null, until: Infinity }
  const until = Math.min(...ends, user.banned ? (row.banned_until ?? Infinity) : Infinity)
  return { holder: { key: inUseOf(row), user }, until }
}
