import { failure, type Reply, type StoredObject, xml } from './scripted-s3-reply.ts'

/** One entry of a list: an object, or a common prefix of keys. */
interface Entry {
  readonly name: string
  readonly object: StoredObject | null
}

export function listObjects(objects: ReadonlyMap<string, StoredObject>, bucket: string, query: URLSearchParams): Reply {
  const text = (name: string) => query.get(name) ?? ''
  const [prefix, delimiter, startAfter, token] = ['prefix', 'delimiter', 'start-after', 'continuation-token'].map(text)
  const asked = Number(query.get('max-keys') ?? 1000)
  const after = token ? readToken(token) : ''
  if (!Number.isInteger(asked) || asked < 0 || after === null) return failure(400, 'InvalidArgument')
  const most = Math.min(asked, 1000)

  const keys = [...objects].filter(([key]) => key.startsWith(prefix ?? '') && isBefore(startAfter ?? '', key))
  const rest = entriesOf(keys, prefix ?? '', delimiter ?? '').filter(({ name }) => isBefore(after, name))
  const page = rest.slice(0, most)
  const last = page.at(-1)
  const next = rest.length > page.length && last ? tokenOf(last) : null

  const encode = query.get('encoding-type') === 'url' ? encodeUrl : (value: string) => value
  const element = (name: string, value: string | number | boolean) => `<${name}>${escapeXml(String(value))}</${name}>`
  const contents = page.flatMap(({ name, object }) =>
    object
      ? `<Contents>${element('Key', encode(name))}${element('LastModified', object.modified.toISOString())}${element(
          'ETag',
          object.etag,
        )}${element('Size', object.bytes.length)}<StorageClass>STANDARD</StorageClass></Contents>`
      : [],
  )
  const prefixes = page.flatMap(({ name, object }) =>
    object ? [] : `<CommonPrefixes>${element('Prefix', encode(name))}</CommonPrefixes>`,
  )
  return xml(
    200,
    [
      '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
      element('Name', bucket),
      element('Prefix', encode(prefix ?? '')),
      delimiter ? element('Delimiter', encode(delimiter)) : '',
      startAfter ? element('StartAfter', encode(startAfter)) : '',
      token ? element('ContinuationToken', token) : '',
      element('KeyCount', page.length),
      element('MaxKeys', most),
      query.get('encoding-type') === 'url' ? element('EncodingType', 'url') : '',
      element('IsTruncated', next !== null),
      next === null ? '' : element('NextContinuationToken', next),
      ...contents,
      ...prefixes,
      '</ListBucketResult>',
    ].join(''),
  )
}

/** In S3's order, by bytes. */
function entriesOf(objects: readonly (readonly [string, StoredObject])[], prefix: string, delimiter: string): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [key, object] of objects) {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const name = end === -1 ? key : key.slice(0, end + delimiter.length)
    entries.set(name, { name, object: end === -1 ? object : null })
  }
  return [...entries.values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0

const tokenOf = ({ name }: Entry) => Buffer.from(`after:${name}`).toString('base64url')

function readToken(token: string): string | null {
  const text = Buffer.from(token, 'base64url').toString()
  return text.startsWith('after:') ? text.slice('after:'.length) : null
}

/** Like S3: form encoding, but slashes stay. */
const encodeUrl = (value: string) => encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%20', '+')

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeXml = (value: string) =>
  value.replace(/[&<>"\p{Cc}]/gu, (character) => entities[character] ?? `&#x${character.charCodeAt(0).toString(16)};`)
