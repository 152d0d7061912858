import { createServer, type ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Pool } from 'undici'
import { createAddressing } from '../src/drivers/objects/s3/address.ts'
import { createSigner } from '../src/drivers/objects/s3/sign.ts'
import { systemClock } from '../src/lib/clock.ts'
import { bucket } from './images-pool.ts'

/* The baseline for an image from S3, its body piped on: BY=undici is a signed GET, BY=sdk the plain, usual SDK. */

const { PORT: port, BY: by, ENDPOINT: endpoint = '', ACCESS_KEY: accessKeyId = '' } = process.env
const region = 'us-east-1'
const credentials = { accessKeyId, secretAccessKey: process.env.SECRET_KEY ?? '' }

function byUndici() {
  const sign = createSigner(region, { ...credentials, sessionToken: null }, systemClock)
  const addressOf = createAddressing(endpoint, true)
  const pool = new Pool(endpoint, { connections: 64 })
  return async (key: string, response: ServerResponse) => {
    const address = addressOf(bucket, key)
    const request = { method: 'GET', path: address.path, headers: sign('GET', address) } as const
    const { headers, body } = await pool.request(request)
    send(response, String(headers['content-type']), String(headers['content-length']), body)
  }
}

function bySdk() {
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  return async (key: string, response: ServerResponse) => {
    const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    send(response, String(found.ContentType), String(found.ContentLength), found.Body as Readable)
  }
}

function send(response: ServerResponse, type: string, length: string, body: Readable): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': length })
  pipeline(body, response, () => {})
}

const answer = by === 'sdk' ? bySdk() : byUndici()
createServer((request, response) => {
  if (request.url === '/ready') return response.writeHead(200, { 'Content-Length': 0 }).end()
  answer((request.url ?? '').replace('/i/', ''), response).catch((error) => response.destroy(error))
}).listen(Number(port), '127.0.0.1')
