import { isObjectName, maxKeyBytes } from '../../../images/object-name.ts'

/**
 * Maps a key to its path within the bucket's folder, and back. They are equal unless a segment is too long for a file
 * name: it is then split over several folders, `abcdef` into `abc␁/␁def`. No key contains the mark.
 */
const splitMark = '\u0001'
const maxNameBytes = 255
/** Leaves room for a mark on both sides. */
const maxSegmentBytes = maxNameBytes - 2

/** Devices, streams and names that Windows changes. */
const strangeOnWindows =
  /[<>:"|?*]|[ .](?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[./]|$)/i

const isKey = (key: string, isWindows: boolean) => isObjectName(key) && !(isWindows && strangeOnWindows.test(key))

/** The path within the bucket's folder, with slashes; null for an invalid key. Never leads outside of that folder. */
export function treeOf(key: string, isWindows = process.platform === 'win32'): string | null {
  if (!isKey(key, isWindows)) return null
  return Buffer.byteLength(key) <= maxNameBytes ? key : key.split('/').map(splitUp).join('/')
}

/** The key of a path; null if no key has this path. */
export function keyOf(tree: string, isWindows?: boolean): string | null {
  const key = tree.replaceAll(`${splitMark}/${splitMark}`, '')
  return treeOf(key, isWindows) === tree ? key : null
}

/** The prefix of every key in this folder. */
export function beginOf(tree: string): string {
  const begin = tree.replaceAll(`${splitMark}/${splitMark}`, '')
  if (begin === '') return ''
  return begin.endsWith(splitMark) ? begin.slice(0, -1) : `${begin}/`
}

/** The folder of all keys with this prefix; null if there can be none. */
export function folderOf(prefix: string): string | null {
  const slash = prefix.lastIndexOf('/')
  return slash < 0 ? '' : treeOf(prefix.slice(0, slash))
}

/** Whether no key in this folder can be longer. */
export const isTooDeep = (begin: string) => Buffer.byteLength(begin) >= maxKeyBytes

function splitUp(segment: string): string {
  if (Buffer.byteLength(segment) <= maxNameBytes) return segment
  const pieces: string[] = []
  let piece = ''
  let bytes = 0
  for (const character of segment) {
    const more = Buffer.byteLength(character)
    if (bytes + more > maxSegmentBytes) {
      pieces.push(piece)
      piece = ''
      bytes = 0
    }
    piece += character
    bytes += more
  }
  // Marked on both sides, since a piece alone may be `..`.
  return [...pieces, piece].join(`${splitMark}/${splitMark}`)
}
