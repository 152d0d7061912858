/** More is loaded only when it is asked for: the service resizes no image. */
export const largeBytes = 2_000_000

/**
 * Where everybody finds the image: beside the console, whatever path a proxy gives both. With its
 * ETag, no cache shows a version that was replaced.
 */
export function imagePath(name: string, etag?: string): string {
  const path = `i/${name.split('/').map(encodeURIComponent).join('/')}`
  return etag === undefined ? path : `${path}?v=${encodeURIComponent(etag)}`
}
