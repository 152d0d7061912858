/** Leaves room within 255 bytes for the hash and the folder store's suffixes. */
const maxStemLength = 150
const maxExtensionLength = 10

/**
 * A file name that the proxy accepts: accents are stripped, each run of other characters becomes a hyphen, dots and
 * hyphens are trimmed from the stem, and an empty stem becomes `image`.
 */
export function servedName(base: string, hash: string | null = null): string {
  const [, front = '', ending = ''] = /^(.+?)(\.[a-zA-Z0-9]+)?$/s.exec(base) ?? []
  const hasEnding = ending.length <= maxExtensionLength
  const text = hasEnding ? front : front + ending
  const stem = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, maxStemLength)
    .replace(/^[.-]+|[.-]+$/g, '')
  return `${stem || 'image'}${hash === null ? '' : `-${hash}`}${hasEnding ? ending : ''}`
}
