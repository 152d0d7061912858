import { finderOf, type Span } from './finder.ts'
import { readingsOf } from './readings.ts'

const mask = '****'

/** `isWhole`: false where the text was cut, and may end within a secret. */
export type Redact = (text: string, isWhole?: boolean) => string

/**
 * Hides secrets in what a page sent back: as they are, in base64 or in hex, and each of these escaped for URLs, JSON,
 * HTML or mail, also in one another.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret !== '')
  const finders = [
    finderOf(known.flatMap((secret) => [secret, secret.replaceAll(' ', '+')]).map(bytesOf), (sign) => sign),
    finderOf(known.flatMap(inBase64), (sign) => inOneBase64[sign] ?? sign),
    finderOf(known.flatMap(inHex), (sign) => sign.toLowerCase()),
  ]

  return (text, isWhole = true) => {
    if (known.length === 0) return text
    const bytes = bytesOf(text)
    const readings = readingsOf(bytes)
    const spans = finders.flatMap((find) => find(readings, bytes.length, isWhole))
    return spans.length === 0 ? text : Buffer.from(masked(bytes, spans), 'latin1').toString()
  }
}

/** An address as it may be shown. */
export function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

/** There are two alphabets, and lines end anywhere. */
const inOneBase64: Readonly<Record<string, string>> = { '-': '+', _: '/', '\r': '', '\n': '' }

/** Of the three ways in which a secret may stand within what is encoded, the signs that depend on it alone. */
function inBase64(secret: string): string[] {
  const all = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const signs = bytes.toString('base64').replace(/=+$/, '')
    return signs.slice([0, 2, 3][before], bytes.length % 3 === 0 ? undefined : -1)
  })
  // So few signs would be found anywhere.
  return all.filter((signs) => signs.length > 3)
}

/** Less would be found in any number. */
const inHex = (secret: string) => (Buffer.byteLength(secret) < 4 ? [] : [Buffer.from(secret).toString('hex')])

function masked(bytes: string, spans: readonly Span[]): string {
  let shown = ''
  let at = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= at) shown += bytes.slice(at, start) + mask
    at = Math.max(at, end)
  }
  return shown + bytes.slice(at)
}
