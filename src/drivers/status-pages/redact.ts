const mask = '****'
/** This many consecutive characters of a secret never get through. */
const windowLength = 8

/** Masks secrets in a response; null if part of one may remain. */
export type Redact = (text: string) => string | null

/** Finds each secret in plain, URL, JSON, base64 and hex form, whatever its case. */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret !== '')
  const forms = known.flatMap(formsOf).sort((a, b) => b.length - a.length)
  const pattern = new RegExp(forms.map(RegExp.escape).join('|') || '(?!)', 'gi')
  const windows = new Set(forms.flatMap((form) => windowsOf(form.toLowerCase())))
  return (text) => {
    const masked = text.replace(pattern, mask)
    return windowsOf(masked.toLowerCase()).some((window) => windows.has(window)) ? null : masked
  }
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
