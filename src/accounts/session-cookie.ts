import { hash, randomBytes } from 'node:crypto'
import { sessionLifetimeMs } from './sessions.ts'

/* The cookie of a console session, and which requests it counts with. */

type Heads = Readonly<Record<string, string | readonly string[] | undefined>> & {
  readonly [Name in 'authorization' | 'cookie' | 'host' | 'origin']?: string | undefined
}

const cookieName = 'menagerie_session'
const secretBytes = 32
const wellFormed = /^[\w-]{43}$/

export const makeSessionSecret = () => randomBytes(secretBytes).toString('base64url')
export const hashOfSessionSecret = (secret: string) => hash('sha256', secret, 'base64url')

const attributes = 'Path=/; HttpOnly; SameSite=Strict'

export const sessionCookie = (secret: string, isSecure: boolean) => ({
  'Set-Cookie': `${cookieName}=${secret}; Max-Age=${sessionLifetimeMs / 1000}; ${attributes}${isSecure ? '; Secure' : ''}`,
})

export const noSessionCookie = { 'Set-Cookie': `${cookieName}=; Max-Age=0; ${attributes}` }

/** `baseOrigin`: of BASE_URL, for a proxy that does not pass the Host on; null if it is not set. */
export function isSameOrigin(headers: Heads, baseOrigin: string | null): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  // Browsers send it only over https and to localhost. A foreign page can set neither of the two headers.
  if (site === undefined ? headers['x-menagerie-console'] !== '1' : site !== 'same-origin') return false
  return origin === undefined || origin === baseOrigin || originsOf(headers.host).includes(origin)
}

/** A proxy in front may have ended TLS. */
const originsOf = (host = '') => ['http', 'https'].map((scheme) => URL.parse(`${scheme}://${host}`)?.origin)

/** Whether the page that signs in was loaded over https. */
export const isSecureOrigin = ({ origin = '' }: Heads, baseOrigin: string | null) =>
  origin.startsWith('https:') || baseOrigin?.startsWith('https:') === true

/**
 * The hash of the session's secret; null if the request has none, or one that does not count. Another site on the same
 * host name can add cookies: of two different values, none is trusted.
 */
export function readSessionCookie(headers: Heads, baseOrigin: string | null): string | null {
  const { cookie, authorization } = headers
  if (cookie === undefined || !cookie.includes(cookieName)) return null
  if (authorization !== undefined || headers['x-api-key'] !== undefined) return null
  const sent = cookie.split(';').map((pair) => pair.trim())
  const secrets = new Set(sent.filter((pair) => pair.startsWith(`${cookieName}=`)))
  const [secret = ''] = [...secrets].map((pair) => pair.slice(cookieName.length + 1))
  if (secrets.size !== 1 || !wellFormed.test(secret) || !isSameOrigin(headers, baseOrigin)) return null
  return hashOfSessionSecret(secret)
}
