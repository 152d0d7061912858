import { join } from 'node:path'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
import jwt from 'jsonwebtoken'
import morgan from 'morgan'
import {
  findUser,
  folder,
  listUsers,
  login,
  manyRequests,
  port,
  randomImage,
  register,
  resized,
  saveHeartbeat,
  secret,
} from './parts.js'

/* The usual Express stack: helmet, morgan, express-rate-limit, jsonwebtoken, static files. */

const tokenOf = (id) => jwt.sign({}, secret, { subject: String(id), expiresIn: '30d' })

function signedIn(request, response, next) {
  try {
    const { sub } = jwt.verify(request.get('authorization')?.replace(/^Bearer /, '') ?? '', secret)
    request.user = findUser(Number(sub))
    if (request.user && !request.user.banned) return next()
  } catch {}
  response.status(401).json({ error: 'Invalid access token' })
}

express()
  .use(helmet(), morgan('combined'), rateLimit({ windowMs: 120_000, limit: manyRequests, validate: false }))
  .get('/ready', (_request, response) => response.json({ status: 'ready' }))
  .get('/i/:kind/:file', async (request, response, next) => {
    if (!request.query.w) return next()
    const { kind, file } = request.params
    response.type('jpeg').send(await resized(join(folder, kind, file), Number(request.query.w)))
  })
  .use('/i', express.static(folder, { maxAge: '1h' }))
  .use(express.json({ limit: '16kb' }))
  .post('/auth/register', async ({ body }, response) => {
    response.status(201).json({ status: 201, accessToken: tokenOf(await register(body)) })
  })
  .post('/auth/login', async ({ body }, response) => {
    const id = await login(body)
    if (id === null) return response.status(401).json({ error: 'Invalid credentials' })
    response.json({ status: 200, accessToken: tokenOf(id) })
  })
  .get('/images/:kind/random', signedIn, (request, response) => response.json(randomImage(request.params.kind)))
  .get('/admin/users', signedIn, (_request, response) => response.json({ status: 200, users: listUsers() }))
  .post('/heartbeat/:id', ({ params: { id }, body: { status } }, response) => {
    saveHeartbeat(id, status)
    response.json({ ok: true, componentId: id, status })
  })
  .listen(port, '127.0.0.1')
