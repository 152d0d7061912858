import { join } from 'node:path'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import files from '@fastify/static'
import createFastify from 'fastify'
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

/* Fastify with its own plugins, its logger, and schemas for what it answers most. */

const app = createFastify({ logger: true, bodyLimit: 16_384 })
await app.register(helmet)
await app.register(rateLimit, { max: manyRequests, timeWindow: 120_000 })
const extractToken = ({ headers: { authorization = '' } }) => authorization.replace(/^Bearer /, '')
await app.register(jwt, { secret, sign: { expiresIn: '30d' }, verify: { extractToken } })
await app.register(files, { root: folder, serve: false, maxAge: '1h' })

const tokenOf = (id) => app.jwt.sign({ sub: String(id) })
const text = { type: 'string' }
const objectOf = (properties) => ({ type: 'object', properties })
const replying = (properties) => ({ schema: { response: { 200: objectOf(properties) } } })

async function onRequest(request, reply) {
  try {
    const { sub } = await request.jwtVerify()
    request.member = findUser(Number(sub))
    if (request.member && !request.member.banned) return
  } catch {}
  return reply.code(401).send({ error: 'Invalid access token' })
}

app.get('/ready', () => ({ status: 'ready' }))
app.get('/i/:kind/:file', async (request, reply) => {
  const { kind, file } = request.params
  if (!request.query.w) return reply.sendFile(`${kind}/${file}`)
  return reply.type('image/jpeg').send(await resized(join(folder, kind, file), Number(request.query.w)))
})
app.post('/auth/register', async ({ body }, reply) => {
  reply.code(201)
  return { status: 201, accessToken: tokenOf(await register(body)) }
})
app.post('/auth/login', async ({ body }, reply) => {
  const id = await login(body)
  return id === null
    ? reply.code(401).send({ error: 'Invalid credentials' })
    : { status: 200, accessToken: tokenOf(id) }
})
app.get(
  '/images/:kind/random',
  { onRequest, ...replying({ status: { type: 'integer' }, kind: text, url: text }) },
  async ({ params: { kind } }) => randomImage(kind),
)
app.get('/admin/users', { onRequest }, async () => ({ status: 200, users: listUsers() }))
app.post(
  '/heartbeat/:id',
  replying({ ok: { type: 'boolean' }, componentId: text, status: text }),
  async ({ params: { id }, body: { status } }) => {
    saveHeartbeat(id, status)
    return { ok: true, componentId: id, status }
  },
)
await app.listen({ port, host: '127.0.0.1' })
