import { hash } from 'node:crypto'
import { JOSEError } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import type { Clock } from '../lib/clock.ts'
import { isId, type NewId } from '../lib/ids.ts'
import { createLru } from '../lib/lru.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { lastTime } from '../lib/timestamps.ts'

/** What a token proves: its user and lifetime. Only the account tells whether it is the user's newest. */
export interface VerifiedToken {
  readonly userId: string
  readonly tokenHash: string
  /** ISO 8601, formatted once per token. */
  readonly issuedAt: string
  readonly issuedAtMs: number
  readonly expiresAt: string
  readonly expiresAtMs: number
}

const issuer = 'menagerie'
const leewaySeconds = 60
const maxTokenLength = 1024
/** Case-insensitive; a doubled `Bearer Bearer ` is accepted. */
const wellFormed = /^bearer +(?:bearer +)?([\w.-]+)$/i
const maxKept = 10_000

/** `ttlMs` is TOKEN_TTL. */
export function createTokens(options: { secret: string; ttlMs: number; clock: Clock; newId: NewId }) {
  const { ttlMs, clock, newId } = options
  const key = new TextEncoder().encode(options.secret)
  /** Verified tokens, by the whole header, in memory only. */
  const checked = createLru<VerifiedToken>(maxKept)

  const isAlive = (verified: VerifiedToken) => clock.now() < verified.expiresAtMs + leewaySeconds * 1000

  const verify = async (token: string, authorization: string): Promise<VerifiedToken | null> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer,
        requiredClaims: ['jti'],
        clockTolerance: leewaySeconds,
        currentDate: new Date(clock.now()),
      })
      const { sub, iat, exp } = payload
      // Other software may sign with this key, and jose checks neither `sub` nor the range of times.
      if (typeof sub !== 'string' || !isId(sub) || !isTime(iat) || !isTime(exp)) return null
      const verified = verifiedOf(sub, hashOf(token), iat, exp)
      if (authorization.length <= maxTokenLength) checked.set(authorization, verified)
      return verified
    } catch (error) {
      if (error instanceof JOSEError) return null
      throw error
    }
  }

  return {
    async issue(userId: string) {
      const iat = Math.floor(clock.now() / 1000)
      const exp = iat + Math.floor(ttlMs / 1000)
      const jwt = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(userId).setJti(newId())
      const token = await jwt.setIssuedAt(iat).setExpirationTime(exp).setIssuer(issuer).sign(key)
      return { token, verified: verifiedOf(userId, hashOf(token), iat, exp) }
    },
    /** Reads an Authorization header. Null for anything that this service did not sign or that has expired. */
    read(authorization: string): MaybePromise<VerifiedToken | null> {
      const known = checked.get(authorization)
      if (known) return isAlive(known) ? known : null
      const token = wellFormed.exec(authorization.trim())?.[1]
      return token === undefined || token.length > maxTokenLength ? null : verify(token, authorization)
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

/** Whole seconds up to the year 9999, which ISO 8601 shows with four digits. */
const isTime = (seconds: unknown): seconds is number =>
  Number.isSafeInteger(seconds) && (seconds as number) >= 0 && (seconds as number) * 1000 <= lastTime

const verifiedOf = (userId: string, tokenHash: string, iat: number, exp: number): VerifiedToken => ({
  userId,
  tokenHash,
  issuedAt: new Date(iat * 1000).toISOString(),
  issuedAtMs: iat * 1000,
  expiresAt: new Date(exp * 1000).toISOString(),
  expiresAtMs: exp * 1000,
})

const hashOf = (token: string) => hash('sha256', token, 'base64url')
