const mask = '****'
/** This many consecutive characters of a secret never get through. */
const windowLength = 8

/** Masks secrets in a response; null if part of one may remain. */
type Redact = (text: string) => string | null

/** Finds each secret in plain, URL, JSON, base64 and hex form, whatever its case, also with any of it as JSON escapes. */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret !== '')
  const plain = known.flatMap(formsOf)
  const forms = [...new Set([...plain, ...plain.map((form) => decode(form).decoded)])]
  const byLength = forms.sort((a, b) => b.length - a.length)
  const pattern = new RegExp(byLength.map(RegExp.escape).join('|') || '(?!)', 'gi')
  const windows = new Set(forms.flatMap((form) => windowsOf(form.toLowerCase())))
  const mayShow = (text: string) => !windowsOf(text.toLowerCase()).some((window) => windows.has(window))
  return (text) => {
    const masked = replaceDecoded(text, pattern)
    return mayShow(masked) && mayShow(decode(masked).decoded) ? masked : null
  }
}

/** Masks what matches once its escapes are decoded; what does not match stays as it is. */
function replaceDecoded(text: string, pattern: RegExp): string {
  const { decoded, starts } = decode(text)
  let masked = ''
  let from = 0
  for (const { 0: found, index } of decoded.matchAll(pattern)) {
    masked += text.slice(from, starts(index)) + mask
    from = starts(index + found.length)
  }
  return masked + text.slice(from)
}

/** `\u0061`, and `\\u0061` of JSON within JSON. */
const escapePattern = /\\{1,8}u([0-9a-f]{4})/gi

/** The text with its JSON escapes decoded; `starts` maps a place in it to the original. */
function decode(text: string) {
  const found = [...text.matchAll(escapePattern)]
  if (found.length === 0) return { decoded: text, starts: (place: number) => place }
  const offsets: number[] = []
  let decoded = ''
  let from = 0
  for (const { 0: escaped, 1: hex = '', index } of found) {
    for (let at = from; at <= index; at++) offsets.push(at)
    decoded += text.slice(from, index) + String.fromCharCode(Number.parseInt(hex, 16))
    from = index + escaped.length
  }
  for (let at = from; at <= text.length; at++) offsets.push(at)
  return { decoded: decoded + text.slice(from), starts: (place: number) => offsets[place] as number }
}

function formsOf(secret: string): string[] {
  const url = [encodeURIComponent(secret), new URLSearchParams({ '': secret }).toString().slice(1)]
  const json = JSON.stringify(secret).slice(1, -1)
  // Shorter ones would match unrelated numbers.
  const encoded = [...inBase64(secret), Buffer.from(secret).toString('hex')].filter(({ length }) => length > 5)
  return [secret, ...url, json, json.replaceAll('/', '\\/'), ...encoded]
}

/** The characters that depend only on the secret, for each of its three possible offsets in the encoded text. */
function inBase64(secret: string): string[] {
  const all = [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
    const text = bytes.toString('base64').replace(/=+$/, '')
    return text.slice([0, 2, 3][offset], bytes.length % 3 === 0 ? undefined : -1)
  })
  return all.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
}

const windowsOf = (text: string): string[] =>
  Array.from({ length: text.length - windowLength + 1 }, (_, start) => text.slice(start, start + windowLength))

/** A URL without credentials, query and fragment. */
export function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}
