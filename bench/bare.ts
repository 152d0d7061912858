import { readFile } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

/*
 * Baselines on bare node:http: a fixed BODY or so many BYTES, the files of FOLDER, or (with neither) the work of a
 * heartbeat, JSON that is parsed and answered.
 */

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const { PORT: port, BODY: text, BYTES: bytes, FOLDER: folder } = process.env
const jsonType = 'application/json; charset=utf-8'

function fixed(): Handler {
  // As a string, head and body leave in one write, a tenth cheaper than with a Buffer.
  const body = text ?? Buffer.alloc(Number(bytes), 'menagerie')
  const type = text === undefined ? 'image/jpeg' : jsonType
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
  return (_request, response) => void response.writeHead(200, headers).end(body)
}

const file: Handler = ({ url = '' }, response) => {
  if (url === '/ready') return void response.writeHead(200, { 'Content-Length': 0 }).end()
  readFile(join(folder ?? '', url.replace('/i/', '')), (error, found) => {
    if (error) return response.writeHead(404, { 'Content-Length': 0 }).end()
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': found.length }).end(found)
  })
}

const heartbeat: Handler = (request, response) => {
  let sent = ''
  request.setEncoding('utf8').on('data', (piece: string) => {
    sent += piece
  })
  request.on('end', () => {
    const { status = 'none' } = sent === '' ? {} : JSON.parse(sent)
    const body = JSON.stringify({ ok: true, componentId: request.url?.slice('/heartbeat/'.length), status })
    response.writeHead(200, { 'Content-Type': jsonType, 'Content-Length': body.length }).end(body)
  })
}

createServer((text ?? bytes) ? fixed() : folder ? file : heartbeat).listen(Number(port), '127.0.0.1')
