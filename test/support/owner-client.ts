import assert from 'node:assert/strict'
import { type Api, owner } from './killed-service.ts'

export interface Answer {
  /** 0: the connection broke before the whole response. */
  readonly status: number
  readonly text: string
  readonly bytes: Buffer
}

const none: Answer = { status: 0, text: '', bytes: Buffer.alloc(0) }
export const password = 'correct horse battery'

/** What the owner and anybody asks of a service that may fail, or be killed meanwhile. */
export async function clientOf({ url }: Api) {
  const ask = async (method: string, path: string, { token = '', type = '', body = '' as string | Buffer } = {}) => {
    try {
      const headers = {
        connection: 'close',
        ...(token && { authorization: token }),
        ...(type && { 'content-type': type }),
      }
      const answer = await fetch(url + path, { method, headers, ...(body.length > 0 && { body }) })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, text: bytes.toString(), bytes }
    } catch {
      return none
    }
  }
  const post = (path: string, body: object, token = '') =>
    ask('POST', path, { token, type: 'application/json', body: JSON.stringify(body) })
  const signedIn = await post('/auth/login', owner)
  assert.equal(signedIn.status, 200, signedIn.text)
  const token: string = JSON.parse(signedIn.text).accessToken
  return {
    ask,
    post,
    token,
    register: (username: string) => post('/auth/register', { username, password }),
    login: (username: string) => post('/auth/login', { username, password }),
    upload: (name: string, body: Buffer) =>
      ask('POST', `/admin/s3/upload?bucketName=images&objectName=${name}`, { token, type: 'image/png', body }),
    image: (name: string) => ask('GET', `/i/${name}`),
    isReady: async () => (await ask('GET', '/ready')).status === 200,
  }
}

export type Client = Awaited<ReturnType<typeof clientOf>>
