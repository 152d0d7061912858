import assert from 'node:assert/strict'
import { type Reply, send } from '../support/send.ts'
import { sized } from '../support/size.ts'
import { atLeast } from '../support/until.ts'
import type { Cluster } from './cluster.ts'

const password = 'correct horse battery'
/** After each account and image. Without it, hashes alone keep two cores busy. */
const pauseMs = sized(200, 200, 0)

export type Target = Pick<Cluster, 'url' | 'instances' | 'bucket'>

/** Writes through the balancer, one thing after another, and remembers what was acknowledged. */
export function startWriter({ url, instances, bucket }: Target, keeper: string, name: string) {
  const accounts: string[] = []
  const objects = new Map<string, string>()
  /** Old tokens that were accepted after the login that replaced them, and images that were served with other bytes. */
  const wrong: string[] = []
  const tries = { uploads: 0, reads: 0 }
  let isOver = false
  let count = 0

  const attempt = (method: string, path: string, sent: Parameters<typeof send>[2], at = url): Promise<Reply | null> =>
    send(method, at + path, sent).then(
      (reply) => (reply.status >= 500 ? null : reply),
      // An instance that does not run refuses at once.
      () => atLeast(20).then(() => null),
    )

  const register = async () => {
    const username = `${name}-${++count}`
    if ((await attempt('POST', '/auth/register', { body: { username, password } }))?.status === 201)
      accounts.push(username)
  }

  const upload = async () => {
    const object = `fox/${name}-${++count}.png`
    const body = `\x89PNG\r\n\x1a\n${object}`
    const headers = { authorization: keeper, 'content-type': 'image/png' }
    const path = `/admin/s3/upload?bucketName=${bucket}&objectName=${object}`
    tries.uploads++
    if ((await attempt('POST', path, { headers, body }))?.status === 200) objects.set(object, body)
  }

  let token: string | null = null
  const replaceToken = async () => {
    const [username] = accounts
    if (username === undefined) return
    const old = token
    // Until the next login is acknowledged, either token may be the valid one.
    token = null
    const reply = await attempt('POST', '/auth/login', { body: { username, password } })
    if (reply?.status !== 200) return
    token = reply.body.accessToken
    if (old === null) return
    for (const instance of instances) {
      const asked = await attempt('GET', '/auth/me', { headers: { authorization: old } }, instance.url)
      if (asked?.status === 200) wrong.push(`an old token of ${username} at ${instance.name}`)
    }
  }

  const read = async () => {
    const [object, body] = [...objects][tries.reads % objects.size] ?? []
    if (object === undefined) return
    tries.reads++
    const reply = await attempt('GET', `/i/${object}`, {})
    if (reply?.status === 200 && reply.text !== body) wrong.push(`${object} with ${reply.text.length} bytes`)
  }

  const writing = (async () => {
    while (!isOver) {
      for (const act of [register, replaceToken, upload, read]) await act()
      await atLeast(pauseMs)
    }
  })()

  return {
    wrong,
    tries,
    accounts,
    objects,
    async stop() {
      isOver = true
      await writing
    },
    /** Checks on every instance everything that was acknowledged. */
    async verify() {
      for (const [index, username] of accounts.entries()) {
        const at = instances[index % instances.length]?.url
        const { status } = await send('POST', `${at}/auth/login`, { body: { username, password } })
        assert.equal(status, 200, `the account ${username}`)
      }
      for (const [object, body] of objects)
        for (const { url } of instances) assert.equal((await send('GET', `${url}/i/${object}`)).text, body, object)
    },
  }
}
