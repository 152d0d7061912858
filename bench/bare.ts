import { readFile } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

/*
 * Baselines on bare node:http: a fixed BODY or this many BYTES, with DATABASE_URL after one prepared select of USER_ID;
 * the files of FOLDER; or (with neither) the work of a heartbeat, which parses JSON and responds.
 */

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const { PORT: port, BODY: text, BYTES: bytes, FOLDER: folder, DATABASE_URL: databaseUrl, USER_ID: userId } = process.env
const jsonType = 'application/json; charset=utf-8'

function fixed(): Handler {
  // As a string, head and body go out in one write, a tenth cheaper than with a Buffer.
  const body = text ?? Buffer.alloc(Number(bytes), 'menagerie')
  const type = text === undefined ? 'image/jpeg' : jsonType
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
  return (_request, response) => void response.writeHead(200, headers).end(body)
}

/** The columns that the guard reads. */
async function selecting(url: string, respond: Handler): Promise<Handler> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url })
  const text = 'SELECT id, username, role, banned, banned_until, token_hash FROM users WHERE id = $1'
  return async (request, response) => {
    const { rows } = await pool.query({ name: 'user', text, values: [userId] })
    if (rows[0]?.id !== userId) return response.writeHead(401, { 'Content-Length': 0 }).end()
    respond(request, response)
  }
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

const handler = (text ?? bytes) ? fixed() : folder ? file : heartbeat
createServer(databaseUrl === undefined ? handler : await selecting(databaseUrl, handler)).listen(
  Number(port),
  '127.0.0.1',
)
