import { createHmac } from 'node:crypto'

export const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** An Authorization header with these claims (an object, or verbatim JSON text), signed with this secret. */
export function signed(header: object, claims: object | string, secret: string, hash = 'sha256'): string {
  const head = `${part(header)}.${part(claims)}`
  return `Bearer ${head}.${createHmac(hash, secret).update(head).digest('base64url')}`
}

/** The claims of one of the service's tokens. */
export const claimsOf = (accessToken: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
