import type { ListedObject } from '../../../images/object-store.ts'
import { badResponse, bareEtag } from './responses.ts'

type Fields = Partial<Record<string, string>>

/** A tag, a piece of text, or what XML allows beside them. */
const tokens = /<\?.*?\?>|<!--.*?-->|<!\[CDATA\[(.*?)\]\]>|<(\/?)([A-Za-z_][\w.:-]*)(?:\s[^<>]*?)?(\/?)>|([^<]+)/sy

/**
 * Reads a page of ListObjectsV2, and throws if the document is anything else. Only elements of the listing and of its
 * objects are kept, so a document can be as deep and odd as it wants.
 */
export function readPage(text: string) {
  const page: Fields = {}
  const all: Fields[] = []
  /** Its common prefixes. */
  const folders: string[] = []
  const open: string[] = []
  let value = ''
  let object: Fields = {}
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at = tokens.lastIndex) {
    tokens.lastIndex = at
    const token = tokens.exec(text)
    if (token === null) throw unreadable()
    const [, data, isEnd, name = '', isEmpty, plain] = token
    if (plain !== undefined) value += unescaped(plain)
    else if (data !== undefined) value += data
    else if (name === '') continue
    else if (isEnd === '') {
      if (open.length === 1 && name === 'Contents') object = {}
      open.push(name)
      value = ''
    }
    if (name !== '' && (isEnd !== '' || isEmpty !== '')) {
      if (open.pop() !== name) throw unreadable()
      const path = open.join('/')
      if (path === 'ListBucketResult') {
        if (name === 'Contents') all.push(object)
        else if (name !== 'CommonPrefixes') page[name] = value
      } else if (path === 'ListBucketResult/Contents') object[name] = value
      else if (path === 'ListBucketResult/CommonPrefixes' && name === 'Prefix') folders.push(value)
      value = ''
    }
  }
  if (open.length > 0) throw unreadable()
  const isTruncated = page.IsTruncated === 'true'
  if (!(isTruncated || page.IsTruncated === 'false') || page.Name === undefined) throw badResponse('not a listing')
  const isUrl = page.EncodingType === 'url'
  return {
    objects: all.map((each) => objectOf(each, isUrl)),
    folders: isUrl ? folders.map(decodedIfPossible) : folders,
    isTruncated,
    token: page.NextContinuationToken,
  }
}

const unreadable = () => badResponse('an unreadable document')

function objectOf({ Key, ETag, Size, LastModified }: Fields, isUrl: boolean): ListedObject {
  const size = /^\d{1,16}$/.test(Size ?? '') ? Number(Size) : Number.NaN
  // Some stores list milliseconds, which their headers lack.
  const modified = Math.floor(Date.parse(LastModified ?? '') / 1000) * 1000
  if (Key === undefined || ETag === undefined || !Number.isSafeInteger(size) || Number.isNaN(modified))
    throw badResponse('a listing with an incomplete object')
  return { name: isUrl ? decoded(Key) : Key, etag: bareEtag(ETag), size, modified }
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch (error) {
    throw badResponse('a key that cannot be decoded', error)
  }
}

/** No object is listed by it. */
function decodedIfPossible(folder: string): string {
  try {
    return decoded(folder)
  } catch {
    return folder
  }
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

const unescaped = (text: string) =>
  text.includes('&')
    ? text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (_, hex, decimal, name) => {
        const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
        const found = name ? entities.get(name) : code <= 0x10ffff ? String.fromCodePoint(code) : undefined
        if (found === undefined) throw unreadable()
        return found
      })
    : text
