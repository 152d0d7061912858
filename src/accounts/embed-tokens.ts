import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { createLru } from '../lib/lru.ts'

/** The tokens in the URLs of embed links: a version, the id of the link, and a MAC. Forged ones cost no query. */
export interface EmbedTokens {
  of(linkId: string): string
  /** The id of the link; null for anything that this service did not sign. */
  read(token: string): string | null
}

const version = 1
const idBytes = 16
const macBytes = 16
const bodyBytes = 1 + idBytes
const form = new RegExp(`^[\\w-]{${((bodyBytes + macBytes) / 3) * 4}}$`)
const maxKept = 10_000

/** `secret` also signs access tokens. Neither signature is valid for the other, since the key here is derived. */
export function createEmbedTokens(secret: string): EmbedTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'menagerie embed link', 32))
  const macOf = (body: Uint8Array) => createHmac('sha256', key).update(body).digest().subarray(0, macBytes)
  /** Verified tokens. */
  const checked = createLru<string>(maxKept)

  const verify = (token: string): string | null => {
    if (!form.test(token)) return null
    const bytes = Buffer.from(token, 'base64url')
    const body = bytes.subarray(0, bodyBytes)
    return body[0] === version && timingSafeEqual(macOf(body), bytes.subarray(bodyBytes)) ? idOf(body) : null
  }

  return {
    of(linkId) {
      const body = Buffer.from(`${hex(version)}${linkId.replaceAll('-', '')}`, 'hex')
      return Buffer.concat([body, macOf(body)]).toString('base64url')
    },
    read(token) {
      const known = checked.get(token)
      if (known !== undefined) return known
      const id = verify(token)
      // A copy, since a substring would keep the whole URL in memory.
      if (id !== null) checked.set(Buffer.from(token).toString('latin1'), id)
      return id
    },
  }
}

const hex = (byte: number) => byte.toString(16).padStart(2, '0')

const idOf = (body: Buffer): string =>
  body.toString('hex', 1).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
