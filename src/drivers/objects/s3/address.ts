import { isIP } from 'node:net'

export interface S3Address {
  readonly origin: string
  /** The Host header, with the port unless it is the scheme's default. */
  readonly host: string
  /** As sent and signed. */
  readonly path: string
}

/** Percent-encodes all but the unreserved characters, as in S3 signatures. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** As sent and signed: sorted by name. */
export const encodeQuery = (query: Readonly<Record<string, string>>) =>
  Object.keys(query)
    .sort()
    .map((name) => `${escaped(name)}=${escaped(query[name] as string)}`)
    .join('&')

/** Keeps slashes. */
export const encodeKey = (key: string) => (/^[A-Za-z0-9_.~/-]*$/.test(key) ? key : escaped(key).replaceAll('%2F', '/'))

/** The addresses of objects. Chooses between path style and host style as AWS clients do. */
export function createAddressing(endpoint: string, pathStyle: boolean): (bucket: string, key: string) => S3Address {
  const { protocol, host, hostname, pathname } = new URL(endpoint)
  const prefix = pathname.replace(/\/+$/, '')
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return (bucket, key) => {
    // A certificate's wildcard covers one label.
    if (pathStyle || isAddress || (protocol === 'https:' && bucket.includes('.')))
      return { origin: `${protocol}//${host}`, host, path: `${prefix}/${bucket}/${encodeKey(key)}` }
    const own = `${bucket}.${host}`
    return { origin: `${protocol}//${own}`, host: own, path: `${prefix}/${encodeKey(key)}` }
  }
}
