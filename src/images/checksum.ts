import type { Stored } from './object-store.ts'

/** Whether the ETag may be the MD5 of the bytes; of one in another form nothing is known. */
export const isMd5 = (etag: string) => /^[0-9a-f]{32}$/i.test(etag)

/** Whether the store has the bytes that were sent; one that encrypts with keys of others does not tell. */
export const isIntact = ({ etag, md5, isEtagOpaque }: Stored) =>
  isEtagOpaque || !isMd5(etag) || etag.toLowerCase() === md5
