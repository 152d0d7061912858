import { isIP } from 'node:net'

export interface S3Address {
  /** What is connected to. */
  readonly origin: string
  /** The Host header: with the port where it is not the scheme's own. */
  readonly host: string
  /** As it goes over the wire, and is signed. */
  readonly path: string
}

/** Every byte but the unreserved ones, as S3 signs it. */
export const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The slashes of a key stay. */
export const encodeKey = (key: string) => (/^[A-Za-z0-9_.~/-]*$/.test(key) ? key : escaped(key).replaceAll('%2F', '/'))

/** Where the objects of an endpoint are. It judges as the SDK does, so that both send the same host. */
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
