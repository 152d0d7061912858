export type Headers = Readonly<Record<string, string>>

/** Headers of every response. */
export const securityHeaders = (secureTransport: boolean): Headers => ({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  ...(secureTransport && { 'Strict-Transport-Security': 'max-age=63072000' }),
})

/** Headers of JSON and text: nothing may be loaded or embedded. */
export const apiHeaders: Headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
}

/**
 * Headers of our pages: same-origin resources, and only the script with this hash: stored images share this origin.
 * `htmlPolicy` names the trusted-types policy by which the script may make HTML of text.
 */
export const pageHeaders = (script = "'none'", htmlPolicy = "'none'"): Headers => ({
  'Content-Security-Policy': `default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'; script-src ${script}; frame-src 'none'; img-src 'self' blob:; require-trusted-types-for 'script'; trusted-types ${htmlPolicy}`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
})

/** Header lines as they are sent. */
export const linesOf = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => lineOf(name, value))
    .join('')

export function lineOf(name: string, value: string): string {
  if (!/^[\w-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new Error(`${JSON.stringify(name)}: ${JSON.stringify(value)} is not a valid header`)
  return `${name}: ${value}\r\n`
}
