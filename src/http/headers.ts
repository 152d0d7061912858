/** Headers of every answer, as one flat list: put together once, not on each request. */
export function securityHeaders(secureTransport: boolean): readonly string[] {
  return [
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    ...(secureTransport ? ['Strict-Transport-Security', 'max-age=63072000'] : []),
  ]
}

/** An answer for programs loads and embeds nothing. */
export const apiHeaders = [
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control',
  'no-store',
] as const

/** A page of ours loads from this origin alone and runs nothing: stored images have this origin too. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'; script-src 'none'; frame-src 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}
