import type { KeyHolder } from '../../accounts/keys.ts'
import type { Users } from '../../accounts/users.ts'
import { type PrincipalRow, principalColumns, principalOf } from './account-rows.ts'
import type { Database, StoreDeps } from './database.ts'
import { type InUseRow, inUseColumns, inUseOf } from './key-rows.ts'

/** A key, its owner, and the expiry of the secret that was sent. */
interface Row extends InUseRow, PrincipalRow {
  readonly secret_expires_at: number | null
}

const query = {
  columns: [
    ...inUseColumns.map((name) => `api_keys.${name}`),
    ...principalColumns.filter((name) => name !== 'id').map((name) => `users.${name}`),
    'key_secrets.expires_at AS secret_expires_at',
  ],
  from: 'key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id JOIN users ON users.id = api_keys.user_id',
  key: 'key_secrets.hash',
}

/** Every request with a key reads the key and its owner. */
export const createKeyReader = ({ finder }: Database, { clock }: StoreDeps): Users['findKey'] =>
  finder(query, (row: Row) => holderOf(row, clock.now()))

function holderOf(row: Row, now: number): KeyHolder | null {
  const isExpired = (expiresAt: number | null) => expiresAt !== null && expiresAt <= now
  if (isExpired(row.expires_at) || isExpired(row.secret_expires_at)) return null
  return { key: inUseOf(row), user: principalOf(row, now, row.user_id) }
}
