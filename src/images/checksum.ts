import type { Stored } from './object-store.ts'

/** Whether the ETag has the form of an MD5. */
export const isMd5 = (etag: string) => /^[0-9a-f]{32}$/i.test(etag)

/** Whether the store has the bytes that were sent, as far as the ETag tells. */
export const isIntact = ({ etag, md5, isEtagOpaque }: Stored) =>
  isEtagOpaque || !isMd5(etag) || etag.toLowerCase() === md5
