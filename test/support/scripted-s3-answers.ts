import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { listObjects } from './scripted-s3-list.ts'
import { empty, failure, type Reply, type StoredObject } from './scripted-s3-reply.ts'

export type Buckets = Map<string, Map<string, StoredObject>>

export interface Asked {
  readonly method: string
  readonly operation: Operation
  readonly bucket: string
  /** Decoded; empty for a request for a bucket. */
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

export type Operation = 'get' | 'head' | 'put' | 'delete' | 'list' | 'head-bucket' | 'put-bucket' | 'other'

export const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

export function storedObject(
  bytes: Uint8Array | string,
  { type = null, modified = new Date(), headers = {} }: Partial<Omit<StoredObject, 'bytes' | 'etag'>> = {},
): StoredObject {
  const copy = Buffer.from(bytes)
  return { bytes: copy, type, etag: `"${md5Of(copy)}"`, modified, headers }
}

/** Parsed by hand: a URL would turn a/../b into b, which a key may be. Null if it cannot be decoded. */
export function readTarget(method: string, target: string): Omit<Asked, 'method' | 'headers'> | null {
  const [path = '', search = ''] = target.split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  try {
    const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path)?.map(decodeURIComponent) ?? []
    return { operation: operationOf(method, bucket, key, query), bucket, key, query }
  } catch {
    return null
  }
}

function operationOf(method: string, bucket: string, key: string, query: URLSearchParams): Operation {
  const names = [...query.keys()].filter((name) => name !== 'x-id')
  if (method === 'GET' && bucket !== '' && key === '' && query.get('list-type') === '2') return 'list'
  if (bucket === '' || names.length > 0) return 'other'
  const operations: Readonly<Record<string, Operation>> =
    key === '' ? { HEAD: 'head-bucket', PUT: 'put-bucket' } : { GET: 'get', HEAD: 'head', PUT: 'put', DELETE: 'delete' }
  return operations[method] ?? 'other'
}

/** Does what S3 would, and returns its response. */
export function rightAnswer(buckets: Buckets, asked: Asked, body: Buffer): Reply {
  const { operation, bucket, key, headers } = asked
  if (operation === 'other') return failure(501, 'NotImplemented')
  const objects = buckets.get(bucket)
  if (operation === 'put-bucket') {
    if (objects) return failure(409, 'BucketAlreadyOwnedByYou')
    buckets.set(bucket, new Map())
    return empty(200)
  }
  if (!objects) return failure(404, 'NoSuchBucket')
  switch (operation) {
    case 'head-bucket':
      return empty(200)
    case 'list':
      return listObjects(objects, bucket, asked.query)
    case 'put': {
      // The frames would be stored as if they were the content.
      if (/aws-chunked/.test(headers['content-encoding'] ?? '')) return failure(501, 'NotImplemented')
      if (headers['if-none-match'] === '*' && objects.has(key)) return failure(412, 'PreconditionFailed')
      const kept = Object.entries(headers).filter(([name]) => /^(x-amz-meta-.*|cache-control)$/.test(name))
      const object = storedObject(body, {
        type: headers['content-type'] ?? null,
        headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      })
      objects.set(key, object)
      return empty(200, { ETag: object.etag })
    }
    case 'delete':
      objects.delete(key)
      return empty(204)
    default: {
      const object = objects.get(key)
      return object ? objectAnswer(object, headers) : failure(404, 'NoSuchKey')
    }
  }
}

function objectAnswer(object: StoredObject, asked: IncomingHttpHeaders): Reply {
  const names = (header: string | undefined) => header?.split(/\s*,\s*/)
  const isNamed = (header: string | undefined) =>
    names(header)?.some((name) => name === '*' || name.replaceAll('"', '') === object.etag.replaceAll('"', ''))
  if (isNamed(asked['if-match']) === false) return failure(412, 'PreconditionFailed')
  const headers = {
    ETag: object.etag,
    'Last-Modified': object.modified.toUTCString(),
    'Accept-Ranges': 'bytes',
    ...(object.type === null ? {} : { 'Content-Type': object.type }),
    ...object.headers,
  }
  if (isNamed(asked['if-none-match'])) return empty(304, headers)
  const size = object.bytes.length
  const range = rangeOf(asked.range, size)
  if (range === null) return { status: 200, headers, bytes: object.bytes }
  const [first, last] = range
  if (first > last) return failure(416, 'InvalidRange', { 'Content-Range': `bytes */${size}` })
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${first}-${last}/${size}` },
    bytes: object.bytes.subarray(first, last + 1),
  }
}

/** Null for the whole object; first > last if the range is unsatisfiable. */
function rangeOf(header: string | undefined, size: number): readonly [number, number] | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '') return last === '' ? null : [Math.max(0, size - Number(last)), size - 1]
  if (last !== '' && Number(last) < Number(first)) return null
  return [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
}
