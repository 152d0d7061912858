/** Larger images are loaded only on demand where the service serves no sizes, and uploaded only on confirmation. */
export const largeBytes = 2_000_000

/** Whether the service resizes images: it says so in the page. */
const hasSizes = document.querySelector<HTMLMetaElement>('meta[name="sizes"]')?.content !== 'off'

/**
 * The image's public path: relative to the console, under whatever path a proxy serves both. The ETag keeps caches from
 * showing a replaced version.
 */
export function imagePath(name: string, etag?: string): string {
  const path = `i/${name.split('/').map(encodeURIComponent).join('/')}`
  return etag === undefined ? path : `${path}?v=${encodeURIComponent(etag)}`
}

/** What an `<img>` loads of these widths; null if the service serves images only as stored. */
export function sizedPaths(name: string, etag: string, widths: readonly [number, ...number[]]) {
  if (!hasSizes) return null
  const pathOf = (width: number) => `${imagePath(name, etag)}&w=${width}&format=auto`
  return { src: pathOf(widths[0]), srcSet: widths.map((width) => `${pathOf(width)} ${width}w`).join(', ') }
}
