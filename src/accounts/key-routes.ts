import { type Field, fields, parsed } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { array, integer, oneOf } from '../http/schema.ts'
import { type Guarded, ownAccess } from './access.ts'
import { type ApiRoute, defineApiRoute } from './api-route.ts'
import { createKey, type KeyAct, revokeKey, rotateKey } from './change-keys.ts'
import type { CreateDeps } from './create-account.ts'
import { lifetimeField, readLifetime } from './duration-field.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { Journal } from './journal.ts'
import { isKeyName, type KeyScope, keyScopes, maxGraceSeconds, maxKeyLimit, maxKeyNameLength } from './keys.ts'
import type { LimitedPassage } from './limits.ts'
import { mustBeAsProven } from './own-password.ts'
import { passwordAgainErrors, passwordAgainField, requirePasswordAgain } from './password-again.ts'
import { idSchema, issuedKey, keyList, keyRevoked, toKey } from './schemas.ts'
import type { Account } from './users.ts'

export interface KeyRouteDeps extends CreateDeps, Guarded {
  readonly journal: Pick<Journal, 'flush'>
}

/** Routes of one key. The log does not show the id, since some callers send the secret instead. */
export const ofOneKey = {
  hasSecretPath: true,
  params: { id: idSchema('Id of the key') },
} as const
const idOf = (call: { readonly params: Readonly<Record<string, string>> }) => call.params.id as string

const name: Field<string> = {
  ...parsed((text) => (isKeyName(text) ? text : undefined), {
    invalid: errors.badKeyName,
    maxLength: maxKeyNameLength,
    description: 'Helps you tell keys apart',
    examples: ['photo frame'],
  }),
  absent: errors.keyNameRequired,
} as Field<string>

const scopes: Field<readonly KeyScope[]> = {
  schema: array(oneOf(keyScopes, { title: 'KeyScope' }), {
    description:
      'What the key opens: `images` the routes under `/images`; `upload` uploads; `store` all of `/admin/s3`, and `PATCH /admin/images/{kind}/{file}`; `admin:read` the other GET routes under `/admin`, except the keys, sessions and links of a user. Never more than its owner may do',
    examples: [['images']],
  }),
  absent: errors.scopesRequired,
  invalid: errors.badScopes,
  isStrict: true,
}

const expiresIn = lifetimeField(errors.badExpiry, {
  mayBeNever: true,
  description: 'A duration such as `90s`, `15m`, `12h` or `30d`, a number of seconds, or `never`',
  default: '365d',
})

function lifetimeOf(value: string | number | undefined): number | null | undefined {
  if (value === undefined) return undefined
  return value === 'never' ? null : readLifetime(value, errors.badExpiry)
}

const whole = (options: Parameters<typeof integer>[0], invalid: Refusal): Field<number | undefined> => ({
  schema: integer(options),
  invalid,
  empty: invalid,
  isStrict: true,
})

/**
 * An act on the caller's own keys; refused if the caller has meanwhile been banned or signed out, or has another
 * password than the one that was proven.
 */
const ownKeys = (actor: Actor, proven: Account | null = null): KeyAct => ({
  by: actor,
  userId: actor.user.id,
  check: (parties) => void mustBeAsProven(parties, proven, actor.login),
})

export const keyRoutes: readonly ApiRoute<KeyRouteDeps, LimitedPassage>[] = [
  defineApiRoute({
    method: 'POST',
    path: '/auth/keys',
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'Only this reply shows the key itself. A user can have at most 50 keys; expired ones make room for new ones.',
    ...ownAccess,
    limit: 'passwordAgain',
    audit: 'create-key',
    body: fields({
      name,
      scopes,
      expiresIn,
      limitPerMinute: whole(
        {
          minimum: 1,
          maximum: maxKeyLimit,
          description: 'Maximum requests of this key per minute; by default it has no limit of its own',
          examples: [60],
        },
        errors.badKeyLimit,
      ),
      password: passwordAgainField,
    }),
    reply: { status: 201, schema: issuedKey(201) },
    errors: [errors.tooManyKeys, ...passwordAgainErrors],
    async handle({ actor, body, signal }, deps: KeyRouteDeps, guesses: LimitedPassage) {
      const { name, scopes, limitPerMinute, password } = body
      if (scopes.length === 0) refuse(errors.badScopes)
      const newKey = { name, scopes, limitPerMinute, expiresInMs: lifetimeOf(body.expiresIn) }
      const proven = await requirePasswordAgain(deps, actor, { password, guesses }, signal)
      const { key, secret } = await createKey(deps, ownKeys(actor, proven), newKey)
      return { status: 201, ...toKey(key), key: secret }
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/auth/keys',
    operationId: 'listKeys',
    summary: 'List the API keys of the caller',
    ...ownAccess,
    audit: null,
    reply: { status: 200, schema: keyList },
    errors: [],
    async handle({ actor }, { journal, users }: KeyRouteDeps) {
      await journal.flush()
      return { status: 200, keys: (await users.keysOf(actor.user.id)).map(toKey) }
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/auth/keys/:id/rotate',
    ...ofOneKey,
    operationId: 'rotateKey',
    summary: 'Give an API key a new secret',
    description:
      'The older secrets end after `graceSeconds`, by default at once. Everything else about the key stays the same.',
    ...ownAccess,
    limit: 'passwordAgain',
    audit: 'rotate-key',
    body: fields({
      graceSeconds: whole({ minimum: 0, maximum: maxGraceSeconds, default: 0, examples: [3600] }, errors.badGrace),
      password: passwordAgainField,
    }),
    reply: { status: 200, schema: issuedKey(200) },
    errors: [errors.keyNotFound, errors.keyExpired, ...passwordAgainErrors],
    async handle(call, deps: KeyRouteDeps, guesses: LimitedPassage) {
      const { actor, signal } = call
      const { graceSeconds = 0, password } = call.body
      const proven = await requirePasswordAgain(deps, actor, { password, guesses }, signal)
      const { key, secret } = await rotateKey(deps, ownKeys(actor, proven), { keyId: idOf(call), graceSeconds })
      return { status: 200, ...toKey(key), key: secret }
    },
  }),
  defineApiRoute({
    method: 'DELETE',
    path: '/auth/keys/:id',
    ...ofOneKey,
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The key and all its secrets are invalid from then on.',
    ...ownAccess,
    audit: 'revoke-key',
    reply: { status: 200, schema: keyRevoked },
    errors: [errors.keyNotFound],
    async handle(call, deps: KeyRouteDeps) {
      await revokeKey(deps, ownKeys(call.actor), idOf(call))
      return { status: 200, message: 'API key revoked' }
    },
  }),
]
