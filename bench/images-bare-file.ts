import { readFile } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

/* The measure of an image from a folder: every request reads its file. */

const folder = process.env.FOLDER ?? ''

createServer((request, response) => {
  if (request.url === '/ready') return response.writeHead(200, { 'Content-Length': 0 }).end()
  readFile(join(folder, (request.url ?? '').replace('/i/', '')), (error, bytes) => {
    if (error) return response.writeHead(404, { 'Content-Length': 0 }).end()
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length })
    response.end(bytes)
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
