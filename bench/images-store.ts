import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { bucket, entryOf, kind } from './images-pool.ts'

/*
 * Responds like an S3 server, at once and from memory: every requested object exists. LISTED is the number of objects
 * listed; without it, listings get 503, as if the store were unavailable.
 */

const pageLength = 1000
const { PORT: port, OBJECT_BYTES: objectBytes, LISTED: listed } = process.env
const listedObjects = listed === undefined ? null : Number(listed)

const bytes = Buffer.alloc(Number(objectBytes ?? 0), 'menagerie')
const uploads = new Map<string, { readonly etag: string; readonly size: number }>()

const id = { 'x-amz-request-id': 'tx000000000000000000001' }
const objectHeaders = (etag: string, size: number) => ({
  ...id,
  'Accept-Ranges': 'bytes',
  'Content-Length': size,
  'Content-Type': 'image/jpeg',
  ETag: `"${etag}"`,
  'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
})
/** Responses that are neither finished nor broken off; `/open` tells how many. */
let open = 0

const headers = objectHeaders(createHash('md5').update(bytes).digest('hex'), bytes.length)

createServer((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  if (path === `/${bucket}` || path === `/${bucket}/`) return answerBucket(request, response, query)
  if (path === '/ready') return response.writeHead(200, { 'Content-Length': 0 }).end()
  if (path === '/open') return response.writeHead(200, { 'Content-Length': `${open}`.length }).end(`${open}`)
  open += 1
  response.once('close', () => {
    open -= 1
  })
  if (request.method === 'PUT') return void receive(path, request, response)
  const uploaded = uploads.get(path)
  // Refuses reads of image headers, so that the catalogue stays as it is.
  if (request.headers.range) return refuse(response)
  const isUploaded = request.method === 'HEAD' && uploaded
  response.writeHead(200, isUploaded ? objectHeaders(uploaded.etag, uploaded.size) : headers)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}).listen(Number(port), '127.0.0.1')

function answerBucket(request: IncomingMessage, response: ServerResponse, query: string) {
  if (request.method === 'HEAD') return response.writeHead(200, { ...id, 'Content-Length': 0 }).end()
  const [status, body] =
    listedObjects === null ? ([503, away] as const) : ([200, pageOf(query, listedObjects)] as const)
  response.writeHead(status, { ...id, 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

function refuse(response: ServerResponse) {
  response.writeHead(503, { ...id, 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(away) })
  response.end(away)
}

const away = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>ServiceUnavailable</Code></Error>'

/** A page of ListObjectsV2. */
function pageOf(query: string, count: number): string {
  const asked = new URLSearchParams(query)
  const from = Number(asked.get('continuation-token') ?? 0)
  const prefix = asked.get('prefix') ?? ''
  const end = prefix === `${kind}/` ? Math.min(count, from + pageLength) : from
  let contents = ''
  for (let index = from; index < end; index += 1) {
    const { filename, etag, size, modified } = entryOf(index)
    contents += `<Contents><Key>${prefix}${filename}</Key><LastModified>${new Date(modified).toISOString()}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`
  }
  const isLast = prefix !== `${kind}/` || end === count
  const next = isLast ? '' : `<NextContinuationToken>${end}</NextContinuationToken>`
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><Prefix>${prefix}</Prefix><Delimiter>/</Delimiter><EncodingType>url</EncodingType><KeyCount>${end - from}</KeyCount><MaxKeys>${pageLength}</MaxKeys><IsTruncated>${!isLast}</IsTruncated>${next}${contents}</ListBucketResult>`
}

async function receive(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const md5 = createHash('md5')
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    md5.update(piece)
    size += piece.length
  }
  const etag = md5.digest('hex')
  uploads.set(path, { etag, size })
  response.writeHead(200, { ...id, 'Content-Length': 0, ETag: `"${etag}"` }).end()
}
