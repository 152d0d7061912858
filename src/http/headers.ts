export type Headers = Readonly<Record<string, string>>

/** Headers of every answer. */
export const securityHeaders = (secureTransport: boolean): Headers => ({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  ...(secureTransport && { 'Strict-Transport-Security': 'max-age=63072000' }),
})

/** An answer for programs loads and embeds nothing. */
export const apiHeaders: Headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
}

/** A page of ours loads from this origin alone and runs nothing: stored images have this origin too. */
export const pageHeaders: Headers = {
  'Content-Security-Policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'; script-src 'none'; frame-src 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

/** The lines of these headers as they go out: what is always the same is put together once, not at each answer. */
export const linesOf = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => lineOf(name, value))
    .join('')

export function lineOf(name: string, value: string): string {
  if (!/^[\w-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new Error(`${JSON.stringify(name)}: ${JSON.stringify(value)} cannot be a header`)
  return `${name}: ${value}\r\n`
}
