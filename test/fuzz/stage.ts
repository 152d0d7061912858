import { readFileSync } from 'node:fs'
import { Running } from '../bin/processes.ts'
import { send } from '../support/send.ts'

const owner = 'keeper'
/** Not the one of the examples, with which a request would change it. */
const ownersPassword = 'never sent by a generated request'
/** Of everybody else. */
const password = 'known to the generated requests'

/** `npm start` with sample images and without rate limits; it checks its own replies, too. */
export async function startBoth() {
  const limits = ['GLOBAL', 'AUTH', 'REGISTER', 'LOGIN_ADDRESS', 'LOGIN_NAME', 'EMBED_LINK']
  const running = await Running.listening('start', {
    env: {
      NODE_ENV: 'development',
      SAMPLE_IMAGES: 'true',
      OWNER_USERNAME: owner,
      OWNER_PASSWORD: ownersPassword,
      STATUS_GET_HEARTBEATS: 'true',
      ...Object.fromEntries(limits.map((scope) => [`RATE_LIMIT_${scope}_MAX`, '0'])),
    },
  })
  return { running, people: await createPeople(running.url) }
}

/** Who sends a request, by name: the headers that say so. */
async function createPeople(url: string) {
  const headersOf = new Map<string, Record<string, string>>([['nobody', {}]])
  const post = (path: string, body: object, headers = {}) => send('POST', `${url}${path}`, { body, headers })
  const spared = [owner]
  let count = 0

  /** An account or key that a request has ended is replaced by another one. */
  async function renew(who: string): Promise<void> {
    if (who === 'nobody') return
    if (who === 'owner') {
      const { text, body } = await post('/auth/login', { username: owner, password: ownersPassword })
      if (body?.accessToken === undefined) throw new Error(`the owner cannot log in any more: ${text}`)
      headersOf.set('owner', { Authorization: body.accessToken })
      spared[1] = body.user.id
      return
    }
    const username = `${who}${count++}`
    const registered = await post('/auth/register', { username, password })
    const token = registered.body?.accessToken as string
    if (who === 'admin') {
      const role = () => post('/admin/user/edit/role', { username, role: 'admin' }, headersOf.get('owner'))
      if ((await role()).status === 401) {
        await renew('owner')
        await role()
      }
    }
    if (who !== 'key') return void headersOf.set(who, { Authorization: token })
    const made = await post('/auth/keys', { name: 'fuzz', scopes: ['images'] }, { Authorization: token })
    headersOf.set('key', { 'X-API-Key': made.body.key })
  }

  const names = ['nobody', 'owner', 'admin', 'user', 'key']
  for (const who of names) await renew(who)
  return { names, renew, spared, password, headersOf: (who: string) => headersOf.get(who) ?? {} }
}

export type People = Awaited<ReturnType<typeof createPeople>>

/** Resident memory of these processes, on Linux. */
export const residentMiB = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]),
    0,
  ) / 1024

export const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

/** Lines of level error or fatal, except those of a bucket that does not exist: deleting from it fails by contract. */
export const failuresLogged = (out: string): string[] =>
  out
    .split('\n')
    .filter((line) => /"level":(?:"(?:error|fatal)"|[56]0)/.test(line) && !line.includes('"type":"NoSuchBucket"'))
