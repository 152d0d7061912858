import { createServer } from 'node:http'

/* The measure of everything: the same runtime, the same body (BODY, or so many BYTES of an image), and nothing else. */

// A text: head and body leave in one write, a tenth cheaper than with a Buffer.
const { PORT: port, BODY: body = Buffer.alloc(Number(process.env.BYTES), 'menagerie') } = process.env
const type = typeof body === 'string' ? 'application/json; charset=utf-8' : 'image/jpeg'
const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }

createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
}).listen(Number(port), '127.0.0.1')
