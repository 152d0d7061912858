import { createServer } from 'node:http'

/* What a heartbeat costs without a worker: the body is read and parsed, and answered. */

createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (piece: string) => {
    text += piece
  })
  request.on('end', () => {
    const { status = 'none' } = text === '' ? {} : JSON.parse(text)
    const body = JSON.stringify({ ok: true, componentId: request.url?.slice('/heartbeat/'.length), status })
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length })
    response.end(body)
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
