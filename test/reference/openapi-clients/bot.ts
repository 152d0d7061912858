import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

/* The first calls of a bot. They must compile in strict mode, with `data` and `error` narrowed. */

type Session = components['schemas']['Session']
type Image = components['schemas']['ImageDescriptor']

const client = createClient<paths>({ baseUrl: 'http://localhost:3000' })

async function signIn(username: string, password: string): Promise<Session> {
  const registered = await client.POST('/auth/register', { body: { username, password } })
  if (registered.data) return registered.data
  const { data, error, response } = await client.POST('/auth/login', { body: { username, password } })
  if (data) return data
  const text: string = 'error' in error ? error.error : error.message
  throw new Error(`${response.status} ${text}`)
}

async function randomFox({ accessToken }: Session): Promise<Image> {
  const { data, error } = await client.GET('/images/{kind}/random', {
    params: { path: { kind: 'fox' } },
    headers: { Authorization: accessToken },
  })
  if (error) throw new Error(error.message)
  if (typeof data === 'string' || 'images' in data) throw new Error('`as` and `count` were not sent')
  return data
}

const session = await signIn('bot', 'correct horse battery')
const { name, size, url }: { name: string; size: number; url: string } = await randomFox(session)
console.log(session.user.role satisfies components['schemas']['Role'], name, size, url)

// As in the reference: with JSON as the only type, no reply is a string.
const json = createClient<paths, 'application/json'>({ baseUrl: 'http://localhost:3000' })
const bird = await json.GET('/images/{kind}/random', { params: { path: { kind: 'bird' } } })
if (bird.error) console.error(bird.error.message)
else if ('url' in bird.data) console.log(bird.data.url)

// @ts-expect-error: no such kind
await client.GET('/images/{kind}/random', { params: { path: { kind: 'dragon' } } })
// @ts-expect-error: no password
await client.POST('/auth/login', { body: { username: 'bot' } })
// @ts-expect-error: nobody is named
await client.POST('/admin/ban', { body: { reason: 'Spam' } })
