/** Larger images are loaded only on demand, since the service does not resize them. */
export const largeBytes = 2_000_000

/**
 * The image's public path: relative to the console, under whatever path a proxy serves both. The ETag keeps caches from
 * showing a replaced version.
 */
export function imagePath(name: string, etag?: string): string {
  const path = `i/${name.split('/').map(encodeURIComponent).join('/')}`
  return etag === undefined ? path : `${path}?v=${encodeURIComponent(etag)}`
}
