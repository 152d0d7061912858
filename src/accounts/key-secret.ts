import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/* The secret of an API key: `mng_`, 32 random characters, and 6 with the CRC-32 of all before them, in base 62. */

const prefix = 'mng_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = alphabet.length
const randomLength = 32
const checksumLength = 6

/** For secret scanners. */
export const secretPattern = `^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`
const wellFormed = new RegExp(secretPattern)

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let digit = 0; digit < checksumLength; digit++) {
    digits = alphabet[rest % base] + digits
    rest = Math.floor(rest / base)
  }
  return digits
}

const randomText = (length: number) => Array.from({ length }, () => alphabet[randomInt(base)]).join('')

export function makeSecret(): string {
  const text = prefix + randomText(randomLength)
  return text + checksumOf(text)
}

export const hashOfSecret = (secret: string) => hash('sha256', secret, 'base64url')

const hasChecksum = (secret: string) =>
  wellFormed.test(secret) && secret.slice(-checksumLength) === checksumOf(secret.slice(0, -checksumLength))

const inHeader = /^bearer +(?:bearer +)?(\S+)$/i

/**
 * Reads an Authorization header: the hash of its API key, null if its checksum is wrong, undefined if there is none.
 */
export function readSecret(authorization: string): string | null | undefined {
  if (!authorization.includes(prefix)) return undefined
  const secret = inHeader.exec(authorization.trim())?.[1] ?? ''
  if (!secret.startsWith(prefix)) return undefined
  return hasChecksum(secret) ? hashOfSecret(secret) : null
}
