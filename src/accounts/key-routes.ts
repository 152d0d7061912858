import { type Field, fields, parsed } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { array, integer, oneOf, string } from '../http/schema.ts'
import { type Guarded, signedIn } from './access.ts'
import { type ApiRoute, defineApiRoute } from './api-route.ts'
import { createKey, type KeyAct, type KeyDeps, revokeKey, rotateKey } from './change-keys.ts'
import { lifetimeField, readLifetime } from './duration-field.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { Journal } from './journal.ts'
import { isKeyName, type KeyScope, keyScopes, maxGraceSeconds, maxKeyLimit, maxKeyNameLength } from './keys.ts'
import type { KeyPassage } from './limits.ts'
import { mustBeSignedIn } from './own-password.ts'
import { issuedKey, keyList, keyRevoked, toKey } from './schemas.ts'

export interface KeyRouteDeps extends KeyDeps, Guarded {
  readonly journal: Pick<Journal, 'flush'>
}

/** API keys open none of these: a key that could create keys could not be revoked for good. */
const common = {
  access: signedIn,
  envelope: 'error',
  limit: 'auth',
  counts: 'auth',
  keyScope: null,
} as const

/** Routes of one key. The log does not show the id, since some callers send the secret instead. */
const ofOne = {
  hasSecretPath: true,
  params: { id: string({ description: 'Id of the key', examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'] }) },
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
      'What the key opens: `images` the routes under `/images`; `upload` uploads; `store` all of `/admin/s3`; `admin:read` the other GET routes under `/admin`, except `/admin/user/keys`. Never more than its owner may do',
    examples: [['images']],
  }),
  absent: errors.scopesRequired,
  invalid: errors.badScopes,
  isStrict: true,
}

const expiresIn = lifetimeField(errors.badExpiry, {
  description:
    'A duration such as `90s`, `15m`, `12h` or `30d`, or a number of seconds; by default the key never expires',
})

const whole = (options: Parameters<typeof integer>[0], invalid: Refusal): Field<number | undefined> => ({
  schema: integer(options),
  invalid,
  empty: invalid,
  isStrict: true,
})

/** An act on the caller's own keys; refused if the caller has meanwhile been banned or signed out. */
const ownKeys = (actor: Actor): KeyAct => ({
  by: actor,
  userId: actor.user.id,
  judge: (target) => void mustBeSignedIn(target, actor.session),
})

export const keyRoutes: readonly ApiRoute<KeyRouteDeps, KeyPassage>[] = [
  defineApiRoute({
    method: 'POST',
    path: '/auth/keys',
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'Only this reply shows the key itself. A user can have at most 50 keys; expired ones make room for new ones.',
    ...common,
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
    }),
    reply: { status: 201, schema: issuedKey(201) },
    errors: [errors.tooManyKeys],
    async handle({ actor, body }, deps: KeyRouteDeps) {
      const { limitPerMinute = null } = body
      if (body.scopes.length === 0) refuse(errors.badScopes)
      const expiresInMs = body.expiresIn === undefined ? null : readLifetime(body.expiresIn, errors.badExpiry)
      const terms = { ...body, limitPerMinute, expiresInMs }
      const { key, secret } = await createKey(deps, ownKeys(actor), terms)
      return { status: 201, ...toKey(key), key: secret }
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/auth/keys',
    operationId: 'listKeys',
    summary: 'List the API keys of the caller',
    ...common,
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
    ...ofOne,
    operationId: 'rotateKey',
    summary: 'Give an API key a new secret',
    description:
      'The older secrets end after `graceSeconds`, by default at once. Everything else about the key stays the same.',
    ...common,
    audit: 'rotate-key',
    body: fields({
      graceSeconds: whole({ minimum: 0, maximum: maxGraceSeconds, default: 0, examples: [3600] }, errors.badGrace),
    }),
    reply: { status: 200, schema: issuedKey(200) },
    errors: [errors.keyNotFound, errors.keyExpired],
    async handle(call, deps: KeyRouteDeps) {
      const { graceSeconds = 0 } = call.body
      const { key, secret } = await rotateKey(deps, ownKeys(call.actor), { keyId: idOf(call), graceSeconds })
      return { status: 200, ...toKey(key), key: secret }
    },
  }),
  defineApiRoute({
    method: 'DELETE',
    path: '/auth/keys/:id',
    ...ofOne,
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The key and all its secrets are invalid from then on.',
    ...common,
    audit: 'revoke-key',
    reply: { status: 200, schema: keyRevoked },
    errors: [errors.keyNotFound],
    async handle(call, deps: KeyRouteDeps) {
      await revokeKey(deps, ownKeys(call.actor), idOf(call))
      return { status: 200, message: 'API key revoked' }
    },
  }),
]
