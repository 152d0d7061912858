import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { createLru } from '../lib/lru.ts'

const version = 1
const idBytes = 16
const macBytes = 16
const bodyBytes = 1 + idBytes
const form = new RegExp(`^[\\w-]{${((bodyBytes + macBytes) / 3) * 4}}$`)
const maxKept = 10_000

/**
 * The tokens in the URLs of embed links: a version, the id of the link, and a MAC. Forged ones cost no query. `secret`
 * also signs access tokens. Neither signature is valid for the other, since the key here is derived.
 */
export function createEmbedTokens(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'menagerie embed link', 32))
  const macOf = (body: Uint8Array) => createHmac('sha256', key).update(body).digest().subarray(0, macBytes)
  /** Verified tokens: a request reads its own twice, and verifying takes 5 µs. */
  const checked = createLru<string>(maxKept)

  const verify = (token: string): string | null => {
    if (!form.test(token)) return null
    const bytes = Buffer.from(token, 'base64url')
    const body = bytes.subarray(0, bodyBytes)
    return body[0] === version && timingSafeEqual(macOf(body), bytes.subarray(bodyBytes)) ? idOf(body) : null
  }

  return {
    of(linkId: string): string {
      const body = Buffer.from(`${hex(version)}${linkId.replaceAll('-', '')}`, 'hex')
      return Buffer.concat([body, macOf(body)]).toString('base64url')
    },
    /** The id of the link; null for anything that this service did not sign. */
    read(token: string): string | null {
      const known = checked.get(token)
      if (known !== undefined) return known
      const id = verify(token)
      // A copy, since a substring would keep the whole URL in memory.
      if (id !== null) checked.set(Buffer.from(token).toString('latin1'), id)
      return id
    },
  }
}

export type EmbedTokens = ReturnType<typeof createEmbedTokens>

const hex = (byte: number) => byte.toString(16).padStart(2, '0')

const idOf = (body: Buffer): string =>
  body.toString('hex', 1).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
