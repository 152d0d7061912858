/** Leaves room within 255 bytes for the hash and the folder store's suffixes. */
const maxStemLength = 150
const maxExtensionLength = 10

/**
 * A file name that the proxy accepts: accents are stripped, each run of other characters becomes a hyphen, dots and
 * hyphens are trimmed from both ends and before the extension, and an empty stem becomes `image`.
 */
export function servedName(base: string, hash: string | null = null): string {
  const plain = base
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/-*\.[.-]*/g, '.')
    .replace(/[.-]+$/, '')
  const [, front = '', ending = ''] = /^(.*?)(\.[a-zA-Z0-9]+)?$/.exec(plain) ?? []
  const hasEnding = ending.length <= maxExtensionLength
  const stem = (hasEnding ? front : plain).slice(0, maxStemLength).replace(/^[.-]+|[.-]+$/g, '')
  return `${stem || 'image'}${hash === null ? '' : `-${hash}`}${hasEnding ? ending : ''}`
}
