import { refuse } from '../http/refusal.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Details, Origin } from './audit.ts'
import type { CreateDeps } from './create-account.ts'
import { errors } from './errors.ts'
import { hashOfSecret, makeSecret } from './key-secret.ts'
import { type ApiKey, defaultKeyLifetimeMs, isExpired, type KeyScope, keyScopes, maxKeys } from './keys.ts'
import type { Act, Change, Parties } from './users.ts'

export type KeyDeps = Pick<CreateDeps, 'users' | 'clock' | 'newId'>

export interface NewKey {
  readonly name: string
  readonly scopes: readonly KeyScope[]
  /** Null: never; by default `defaultKeyLifetimeMs`. */
  readonly expiresInMs?: number | null | undefined
  /** By default it has none of its own. */
  readonly limitPerMinute?: number | null | undefined
}

/** Whose keys, by whom, and who may: `check` gets the locked parties, and throws to refuse. */
export interface KeyAct {
  readonly by: Origin
  readonly userId: string
  check(parties: Parties): void
}

/** The secret is known to nobody else and stored nowhere. */
export interface IssuedKey {
  readonly key: ApiKey
  readonly secret: string
}

const detailsOf = ({ id, name }: ApiKey): Details => ({ key: id, name })

/** Runs one act on keys in one transaction. The owner is locked, so that concurrent acts see each other. */
function changeKeys(
  { users }: Pick<KeyDeps, 'users'>,
  { by, userId, check }: KeyAct,
  action: Act['action'],
  change: (keys: readonly ApiKey[]) => Pick<Change, 'keys' | 'before' | 'after'>,
) {
  by.noteTarget?.(userId)
  return users.change({ action, by, target: { id: userId }, readsKeys: true }, (parties) => {
    const { target, keys = [] } = parties
    if (!target) refuse(errors.keyNotFound)
    check(parties)
    return { values: {}, ...change(keys) }
  })
}

const keyIn = (keys: readonly ApiKey[], keyId: string) =>
  keys.find(({ id }) => id === keyId) ?? refuse(errors.keyNotFound)

export async function createKey(deps: KeyDeps, act: KeyAct, newKey: NewKey): Promise<IssuedKey> {
  const { name, scopes, limitPerMinute = null, expiresInMs = defaultKeyLifetimeMs } = newKey
  const now = deps.clock.now()
  const secret = makeSecret()
  const key: ApiKey = {
    id: deps.newId(),
    userId: act.userId,
    name,
    scopes: keyScopes.filter((scope) => scopes.includes(scope)),
    limitPerMinute,
    createdAt: now,
    expiresAt: expiresInMs === null ? null : now + expiresInMs,
    lastUsedAt: null,
    requests: 0,
  }
  await changeKeys(deps, act, 'create-key', (keys) => {
    // Expired keys stay listed until a new one needs the room.
    const remove = keys.length < maxKeys ? [] : keys.filter((each) => isExpired(each, now)).map(({ id }) => id)
    if (keys.length - remove.length >= maxKeys) refuse(errors.tooManyKeys)
    const after = {
      ...detailsOf(key),
      scopes: key.scopes.join(', '),
      expiresAt: key.expiresAt === null ? null : isoTime(key.expiresAt),
      limitPerMinute,
    }
    return { keys: { add: key, secretHash: hashOfSecret(secret), remove }, after }
  })
  return { key, secret }
}

/** Gives the key a new secret. Older ones expire after the grace period, unless they would have expired earlier. */
export async function rotateKey(
  { users, clock }: Pick<KeyDeps, 'users' | 'clock'>,
  act: KeyAct,
  { keyId, graceSeconds }: { readonly keyId: string; readonly graceSeconds: number },
): Promise<IssuedKey> {
  const now = clock.now()
  const secret = makeSecret()
  let key: ApiKey | null = null
  await changeKeys({ users }, act, 'rotate-key', (keys) => {
    key = keyIn(keys, keyId)
    if (isExpired(key, now)) refuse(errors.keyExpired)
    const oldUntil = now + graceSeconds * 1000
    return {
      keys: { rotate: keyId, secretHash: hashOfSecret(secret), oldUntil, now },
      after: { ...detailsOf(key), graceSeconds },
    }
  })
  return { key: key ?? refuse(errors.keyNotFound), secret }
}

export async function revokeKey(deps: Pick<KeyDeps, 'users'>, act: KeyAct, keyId: string): Promise<void> {
  await changeKeys(deps, act, 'revoke-key', (keys) => keyRevocation(keys, keyId))
}

export const keyRevocation = (keys: readonly ApiKey[], keyId: string): Change => ({
  values: {},
  keys: { remove: [keyId] },
  before: detailsOf(keyIn(keys, keyId)),
})
