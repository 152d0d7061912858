import { createServer, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { bucket } from './images-pool.ts'

/* The usual way to an image from S3: the SDK as it comes, its body piped on. */

const {
  PORT: port,
  ENDPOINT: endpoint = '',
  ACCESS_KEY: accessKeyId = '',
  SECRET_KEY: secretAccessKey = '',
} = process.env
const client = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
})

async function answer(key: string, response: ServerResponse): Promise<void> {
  const {
    Body: body,
    ContentLength: length,
    ContentType: type,
  } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  response.writeHead(200, { 'Content-Type': String(type), 'Content-Length': String(length) })
  pipeline(body as Readable, response, () => {})
}

createServer((request, response) => {
  if (request.url === '/ready') return response.writeHead(200, { 'Content-Length': 0 }).end()
  answer((request.url ?? '').replace('/i/', ''), response).catch((error) => response.destroy(error))
}).listen(Number(port), '127.0.0.1')
