import { isObjectName, maxKeyBytes } from '../../../images/object-name.ts'

/**
 * From a key to its file below the folder of its bucket, and back. The tree is the key itself, but a segment that is
 * too long for a file's name stands in several folders: `abc␁/␁def` is the segment `abcdef`. No key holds the mark.
 */
const mark = '\u0001'
const maxNameBytes = 255
/** With the mark before it and behind it. */
const maxSegmentBytes = maxNameBytes - 2

/** Devices, streams and names that Windows spells otherwise than they were given. */
const strangeOnWindows =
  /[<>:"|?*]|[ .](?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[./]|$)/i

const isKey = (key: string, isWindows: boolean) => isObjectName(key) && !(isWindows && strangeOnWindows.test(key))

/** The path below the bucket's folder, with slashes; null for what can be no key. It never leads out of that folder. */
export function treeOf(key: string, isWindows = process.platform === 'win32'): string | null {
  if (!isKey(key, isWindows)) return null
  return Buffer.byteLength(key) <= maxNameBytes ? key : key.split('/').map(splitUp).join('/')
}

/** The key of a path; null where `treeOf` would have put no object. */
export function keyOf(tree: string, isWindows?: boolean): string | null {
  const key = tree.replaceAll(`${mark}/${mark}`, '')
  return treeOf(key, isWindows) === tree ? key : null
}

/** What every key in this folder begins with; '' is the bucket's own. */
export function beginOf(tree: string): string {
  const begin = tree.replaceAll(`${mark}/${mark}`, '')
  if (begin === '') return ''
  return begin.endsWith(mark) ? begin.slice(0, -1) : `${begin}/`
}

/** The folder in which everything lies that begins with this; null where nothing can. */
export function folderOf(prefix: string): string | null {
  const slash = prefix.lastIndexOf('/')
  return slash < 0 ? '' : treeOf(prefix.slice(0, slash))
}

/** Whether a key can be as long as it is in this folder with anything more. */
export const isTooDeep = (begin: string) => Buffer.byteLength(begin) >= maxKeyBytes

function splitUp(segment: string): string {
  if (Buffer.byteLength(segment) <= maxNameBytes) return segment
  const pieces: string[] = []
  let [piece, bytes] = ['', 0]
  for (const character of segment) {
    const more = Buffer.byteLength(character)
    if (bytes + more > maxSegmentBytes) {
      pieces.push(piece)
      ;[piece, bytes] = ['', 0]
    }
    piece += character
    bytes += more
  }
  // The mark on both sides: a piece may be `..` by itself.
  return [...pieces, piece].join(`${mark}/${mark}`)
}
