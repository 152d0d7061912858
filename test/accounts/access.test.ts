import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Guarded, mustBeOneOf, onlyAdministrators, onlyRoles, signedIn } from '../../src/accounts/access.ts'
import { type ApiRoute, publicPage } from '../../src/accounts/api-route.ts'
import { errors, keyErrors } from '../../src/accounts/errors.ts'
import { Actor, mayEnter } from '../../src/accounts/guard.ts'
import { type KeyInUse, type KeyScope, keyScopes } from '../../src/accounts/keys.ts'
import { type Role, roles } from '../../src/accounts/roles.ts'
import type { SessionInUse } from '../../src/accounts/sessions.ts'
import type { VerifiedToken } from '../../src/accounts/tokens.ts'
import type { Principal } from '../../src/accounts/users.ts'
import { protocolErrors } from '../../src/http/errors.ts'
import { Refused } from '../../src/http/refusal.ts'

const user: Principal = { id: 'u', username: 'fox', role: 'user', banned: false, tokenHash: 'hash' }
const token: VerifiedToken = {
  userId: 'u',
  tokenHash: 'hash',
  issuedAt: '1970-01-01T00:00:01.000Z',
  issuedAtMs: 1_000,
  expiresAt: '1970-01-01T00:00:09.000Z',
  expiresAtMs: 9_000,
}
const session: SessionInUse = { id: 's', userId: 'u', createdAt: 5_000 }
const keyWith = (...scopes: readonly KeyScope[]): KeyInUse => {
  const times = { createdAt: 1, expiresAt: null }
  return { id: 'k', userId: 'u', name: 'a key', scopes, limitPerMinute: null, ...times }
}

const callOf = (keyScope: KeyScope | 'any' | null) => ({
  address: '192.0.2.1',
  requestId: 'r',
  route: { ...publicPage, keyScope } as unknown as ApiRoute,
})
const actor = (proof: VerifiedToken | SessionInUse | KeyInUse, keyScope: KeyScope | 'any' | null = null, who = user) =>
  new Actor(callOf(keyScope), who, proof)

const refusalOf = (act: () => unknown) => {
  try {
    act()
    return null
  } catch (error) {
    return error instanceof Refused ? error.refusal : assert.fail(String(error))
  }
}

describe('An API key', () => {
  /** Typed by hand from the documents. */
  const opened: Readonly<Record<KeyScope, readonly KeyScope[]>> = {
    images: ['images'],
    upload: ['upload'],
    store: ['upload', 'store'],
    'admin:read': ['admin:read'],
  }

  for (const scope of keyScopes)
    it(`with the scope ${scope} opens the routes of ${opened[scope].join(' and ')}, and no other`, () => {
      for (const needed of keyScopes) {
        const refusal = opened[scope].includes(needed) ? null : keyErrors[needed]
        const its = actor(keyWith(scope), needed)
        assert.equal(its.keyRefusal, refusal, needed)
        assert.equal(
          refusalOf(() => mayEnter(its)),
          refusal,
          needed,
        )
      }
    })

  it('opens routes for any key whatever its scopes are, routes for none not even with all, and paths without a route', () => {
    assert.equal(actor(keyWith(), 'any').keyRefusal, null)
    assert.equal(actor(keyWith(...keyScopes), null).keyRefusal, keyErrors.null)
    assert.equal(new Actor({ ...callOf(null), route: null }, user, keyWith()).keyRefusal, null)
    assert.equal(actor(keyWith('admin:read', 'images'), 'images').keyRefusal, null)
  })

  it('is no login', () => {
    const key = keyWith('images')
    const its = actor(key, 'images')
    assert.deepEqual([its.key, its.sessionId], [key, null])
    assert.equal(
      refusalOf(() => its.login),
      keyErrors.null,
    )
    assert.equal(
      refusalOf(() => its.signedInAt),
      keyErrors.null,
    )
  })
})

describe('A login', () => {
  it('opens every route, by its token or its session, and tells when it began', () => {
    for (const scope of [...keyScopes, 'any', null] as const)
      for (const proof of [token, session]) {
        const its = actor(proof, scope)
        assert.deepEqual([its.keyRefusal, its.key, its.login], [null, null, proof])
        assert.equal(
          refusalOf(() => mayEnter(its)),
          null,
        )
      }
    assert.deepEqual([actor(token).signedInAt, actor(token).sessionId], [1_000, null])
    assert.deepEqual([actor(session).signedInAt, actor(session).sessionId], [5_000, 's'])
    assert.deepEqual([actor(token).userId, actor(token).user, actor(token).address], ['u', user, '192.0.2.1'])
  })
})

describe('A route', () => {
  const who = (role: Role, banned = false) => ({ ...user, role, banned })

  it('refuses banned users, whatever they sign in with', () => {
    for (const proof of [token, session, keyWith(...keyScopes)])
      for (const { permit } of [signedIn, onlyRoles(roles)])
        assert.equal(
          refusalOf(() => permit?.(actor(proof, 'any', who('owner', true)))),
          errors.banned,
        )
  })

  it('admits only its roles, and keys only with its scope', () => {
    for (const role of roles) {
      const isAllowed = ['admin', 'owner'].includes(role)
      assert.equal(
        refusalOf(() => onlyAdministrators.permit?.(actor(token, null, who(role)))),
        isAllowed ? null : errors.forbidden,
      )
      assert.equal(
        refusalOf(() => signedIn.permit?.(actor(token, null, who(role)))),
        null,
      )
    }
    for (const access of [signedIn, onlyAdministrators])
      assert.equal(
        refusalOf(() => access.permit?.(actor(keyWith('images'), 'store', who('owner')))),
        keyErrors.store,
      )
  })

  it('gets its actor from the guard', () => {
    const its = actor(token)
    const [call, passage] = [{}, {}] as [never, never]
    const guard = { admit: (...given: unknown[]) => (given[0] === call && given[1] === passage ? its : null) }
    for (const { admit } of [signedIn, onlyAdministrators])
      assert.equal(admit(call, { guard } as unknown as Guarded, passage), its)
  })

  it('declares who may call it, and how it refuses others', () => {
    const guard = [errors.tokenRequired, errors.tokenInvalid, errors.banned]
    assert.deepEqual([signedIn.label, signedIn.errors], ['any signed-in user', [...guard, protocolErrors.unavailable]])
    assert.equal(onlyAdministrators.label, 'admin, owner')
    assert.deepEqual(onlyAdministrators.errors, [...guard, errors.forbidden, protocolErrors.unavailable])
  })

  it('checks the account again within its transaction: it may be gone, banned or of another role by then', () => {
    assert.equal(
      refusalOf(() => mustBeOneOf(['user'], null)),
      errors.tokenInvalid,
    )
    assert.equal(
      refusalOf(() => mustBeOneOf(['user'], who('user', true))),
      errors.banned,
    )
    assert.equal(
      refusalOf(() => mustBeOneOf(['admin', 'owner'], who('user'))),
      errors.forbidden,
    )
    assert.equal(mustBeOneOf(['user'], user), user)
  })
})
