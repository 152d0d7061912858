const mask = '****'

/** `isWhole`: false where the text was cut, and may end within a secret. */
export type Redact = (text: string, isWhole?: boolean) => string

/** Signs as they are meant, and where in the text each is written; both in bytes of UTF-8, one sign for each. */
interface View {
  readonly signs: string
  /** One more than there are signs. */
  readonly starts: readonly number[]
}

type Span = readonly [start: number, end: number]

/** Hides secrets in what a page sent back: as they are, escaped for URLs, JSON or HTML, or in base64. */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret !== '')
  const plain = finderOf(known.flatMap((secret) => [secret, secret.replaceAll(' ', '+')]).map(bytesOf))
  const encoded = finderOf(known.flatMap(inBase64))

  return (text, isWhole = true) => {
    if (known.length === 0) return text
    const bytes = bytesOf(text)
    const spans = viewsOf(bytes).flatMap((view) => {
      const base64 = { ...view, signs: view.signs.replaceAll('-', '+').replaceAll('_', '/') }
      return [...plain(view, isWhole), ...encoded(base64, isWhole)]
    })
    return spans.length === 0 ? text : Buffer.from(masked(bytes, spans), 'latin1').toString()
  }
}

/** An address as it may be shown. */
export function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

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

/** As it is written, and unescaped in each way by itself: a secret may look as if it were escaped. */
function viewsOf(bytes: string): View[] {
  const asWritten = { signs: bytes, starts: Array.from({ length: bytes.length + 1 }, (_, index) => index) }
  return [asWritten, ...escapes.filter(({ mark }) => bytes.includes(mark)).map((each) => unescaped(bytes, each))]
}

interface Escape {
  readonly mark: string
  readonly whole: RegExp
  /** What may be left of one where the text was cut. */
  readonly half: RegExp
  meaning(found: RegExpExecArray): string
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const inHex = (text: string) => Number.parseInt(text, 16)
const signOf = (code: number) => (code > 0x10ffff ? '?' : bytesOf(String.fromCodePoint(code)))

const escapes: readonly Escape[] = [
  {
    mark: '%',
    whole: /%([0-9a-fA-F]{2})/y,
    half: /%[0-9a-fA-F]?$/,
    meaning: ([, hex = '']) => String.fromCharCode(inHex(hex)),
  },
  {
    mark: '\\',
    whole: /\\(?:u([0-9a-fA-F]{4})|([^a-zA-Z0-9]))/y,
    half: /\\(u[0-9a-fA-F]{0,3})?$/,
    meaning: ([, hex = '', itself]) => itself ?? signOf(inHex(hex)),
  },
  {
    mark: '&',
    whole: /&(?:#0*(\d{1,7})|#[xX]0*([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/y,
    half: /&[#\w]{0,9}$/,
    meaning: ([, decimal, hex = '', name]) =>
      (name && named[name]) || signOf(decimal === undefined ? inHex(hex) : Number(decimal)),
  },
]

function unescaped(bytes: string, { mark, whole, half, meaning }: Escape): View {
  const end = bytes.length - (half.exec(bytes)?.[0].length ?? 0)
  const starts: number[] = []
  let signs = ''
  for (let at = 0; at < end; ) {
    whole.lastIndex = at
    const found = bytes.charAt(at) === mark ? whole.exec(bytes) : null
    const meant = found === null ? bytes.charAt(at) : meaning(found)
    for (const _ of meant) starts.push(at)
    signs += meant
    at += found?.[0].length ?? 1
  }
  return { signs, starts: [...starts, bytes.length] }
}

/** By how they begin, so that a thousand secrets take no longer to look for than one. */
function finderOf(secrets: readonly string[]): (view: View, isWhole: boolean) => Span[] {
  if (secrets.length === 0) return () => []
  const size = Math.min(8, ...secrets.map(({ length }) => length))
  const known = Map.groupBy(new Set(secrets), (secret) => secret.slice(0, size))
  return ({ signs, starts }, isWhole) => {
    const spans: Span[] = []
    const add = (from: number, to: number) => spans.push([starts[from] ?? 0, starts[to] ?? 0])
    for (let at = 0; at + size <= signs.length; at++) {
      for (const secret of known.get(signs.slice(at, at + size)) ?? [])
        if (signs.startsWith(secret, at)) add(at, at + secret.length)
    }
    if (!isWhole) for (const secret of secrets) add(signs.length - beginningOf(secret, signs), signs.length)
    return spans.filter(([start, end]) => start < end)
  }
}

/** How many of the secret's first signs the text ends with. */
function beginningOf(secret: string, signs: string): number {
  let begun = Math.min(secret.length, signs.length)
  while (begun > 0 && !(signs.at(-begun) === secret[0] && signs.endsWith(secret.slice(0, begun)))) begun--
  return begun
}

function masked(bytes: string, spans: readonly Span[]): string {
  let shown = ''
  let at = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= at) shown += bytes.slice(at, start) + mask
    at = Math.max(at, end)
  }
  return shown + bytes.slice(at)
}
