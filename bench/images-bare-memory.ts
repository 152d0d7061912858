import { createServer } from 'node:http'

/* The measure of an image from memory: the runtime and the bytes, and nothing around them. */

const bytes = Buffer.alloc(Number(process.env.BYTES), 'menagerie')

createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length })
  response.end(bytes)
}).listen(Number(process.env.PORT), '127.0.0.1')
