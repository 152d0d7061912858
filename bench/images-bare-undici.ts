import { createServer, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { Pool } from 'undici'
import { createAddressing } from '../src/drivers/objects/s3/address.ts'
import { createSigner } from '../src/drivers/objects/s3/sign.ts'
import { systemClock } from '../src/lib/clock.ts'
import { bucket } from './images-pool.ts'

/* The measure of an image from S3: a signed GET whose body is piped on. */

const {
  PORT: port,
  ENDPOINT: endpoint = '',
  ACCESS_KEY: accessKeyId = '',
  SECRET_KEY: secretAccessKey = '',
} = process.env
const sign = createSigner('us-east-1', { accessKeyId, secretAccessKey, sessionToken: null }, systemClock)
const addressOf = createAddressing(endpoint, true)
const pool = new Pool(endpoint, { connections: 64 })

async function answer(key: string, response: ServerResponse): Promise<void> {
  const address = addressOf(bucket, key)
  const { statusCode, headers, body } = await pool.request({
    method: 'GET',
    path: address.path,
    headers: sign('GET', address),
  })
  response.writeHead(statusCode, {
    'Content-Type': String(headers['content-type']),
    'Content-Length': String(headers['content-length']),
  })
  pipeline(body, response, () => {})
}

createServer((request, response) => {
  if (request.url === '/ready') return response.writeHead(200, { 'Content-Length': 0 }).end()
  answer((request.url ?? '').replace('/i/', ''), response).catch((error) => response.destroy(error))
}).listen(Number(port), '127.0.0.1')
