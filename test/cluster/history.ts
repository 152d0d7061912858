import { request } from 'undici'
import { seededRandom } from '../support/uniform.ts'
import { atLeast } from '../support/until.ts'
import type { Operation } from './serial-order.ts'

/** One account, as an order of acts leaves it. */
interface State {
  readonly name: string
  readonly role: string
  readonly isBanned: boolean
  /** The login that gave the newest token. */
  readonly login: string | null
}

interface Person {
  readonly id: string
  /** One of these is its name. */
  readonly names: readonly [string, string]
  readonly initial: State
  readonly operations: Operation<State>[]
  /** Login and token, the newest last. */
  readonly tokens: [login: string, token: string][]
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
}

interface Act {
  readonly text: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly token?: string
  readonly body?: object
  apply(state: State, answer: Answer): State | null
}

const password = 'correct horse battery'
const roles = ['user', 'support', 'moderator', 'admin'] as const
/** A statement that was running in the database may end this long after the instance has died. */
const lateMs = 2_000

/** Whether the response says that nothing was done. */
const isRefused = ({ status }: Answer) => status === 429

/** Registers these, and returns what happens to them from now on. */
export async function startHistory(url: string, ownerToken: string, count: number, prefix: string) {
  const people = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Person> => {
      const names = [`${prefix}-${index}-a`, `${prefix}-${index}-b`] as const
      const { body } = await ask(url, {
        text: '',
        method: 'POST',
        path: '/auth/register',
        body: { username: names[0], password },
        apply: () => null,
      })
      const initial = { name: names[0], role: 'user', isBanned: false, login: 'register' }
      return { id: body.user.id, names, initial, operations: [], tokens: [['register', body.accessToken]] }
    }),
  )
  let isOver = false
  let logins = 0

  /** One request after another to random people at random instances, until the history ends. */
  async function client(urls: readonly string[], seed: number): Promise<void> {
    const random = seededRandom(seed)
    const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
    while (!isOver) {
      const person = one(people)
      const login = `login ${++logins}`
      const act = actOn(person, { one, random, login, ownerToken })
      const start = performance.now()
      const answer = await ask(one(urls), act).catch((error: NodeJS.ErrnoException) => error)
      const now = performance.now()
      if (answer instanceof Error && answer.code === 'ECONNREFUSED') {
        await atLeast(5)
        continue
      }
      const isAnswered = !(answer instanceof Error) && answer.status < 500
      if (isAnswered && isRefused(answer)) continue
      person.operations.push({
        start,
        isAnswered,
        end: isAnswered ? now : now + lateMs,
        text: `${act.text}: ${answer instanceof Error ? answer.code : `${answer.status} ${JSON.stringify(answer.body?.user ?? answer.body)}`}`,
        apply: (state) => act.apply(state, isAnswered ? answer : done),
      })
      if (isAnswered && act.path === '/auth/login' && answer.status === 200)
        person.tokens.push([login, answer.body.accessToken])
    }
  }

  return {
    people,
    client,
    end() {
      isOver = true
    },
  }
}

/** As if the act had succeeded. */
const done: Answer = { status: 200, body: null }

interface Chance {
  readonly one: <T>(of: readonly T[]) => T
  readonly random: () => number
  readonly login: string
  readonly ownerToken: string
}

function actOn({ id, names, tokens }: Person, { one, random, login, ownerToken }: Chance): Act {
  const username = one(names)
  const asOwner = { method: 'POST', token: ownerToken } as const
  const dice = random()
  if (dice < 0.25)
    return {
      text: `${login} as ${username}`,
      method: 'POST',
      path: '/auth/login',
      body: { username, password },
      apply(state, { status }) {
        if (state.name !== username) return status === 401 ? state : null
        if (state.isBanned) return status === 403 ? state : null
        return status === 200 ? { ...state, login } : null
      },
    }
  if (dice < 0.5) {
    const [of, token] = one(tokens.slice(-3))
    return {
      text: `me of ${of}`,
      method: 'GET',
      path: '/auth/me',
      token,
      apply(state, { status, body }) {
        const isValid = state.login === of && !state.isBanned
        if (status !== 200) return isValid ? null : state
        return isValid && (body === null || isAs(state, body.user)) ? state : null
      },
    }
  }
  if (dice < 0.6)
    return {
      ...asOwner,
      text: 'ban',
      path: '/admin/ban',
      body: { userId: id },
      apply: (state, { status }) => (state.isBanned === (status === 400) ? { ...state, isBanned: true } : null),
    }
  if (dice < 0.7)
    return {
      ...asOwner,
      text: 'unban',
      path: '/admin/unban',
      body: { userId: id },
      apply: (state, { status }) => (state.isBanned === (status === 200) ? { ...state, isBanned: false } : null),
    }
  if (dice < 0.8) {
    const role = one(roles)
    return {
      ...asOwner,
      text: `role ${role}`,
      path: '/admin/user/edit/role',
      body: { userId: id, role },
      apply: (state, { status }) => (status === 200 ? { ...state, role } : null),
    }
  }
  if (dice < 0.9)
    return {
      ...asOwner,
      text: `name ${username}`,
      path: '/admin/user/edit/username',
      body: { userId: id, newUsername: username },
      apply: (state, { status }) => (status === 200 ? { ...state, name: username } : null),
    }
  return {
    text: 'search',
    method: 'GET',
    path: `/admin/user/search?userId=${id}`,
    token: ownerToken,
    apply: (state, { body }) => (body === null || isAs(state, body.user) ? state : null),
  }
}

const isAs = ({ name, role, isBanned }: State, user: { username: string; role: string; banned: boolean }) =>
  user.username === name && user.role === role && user.banned === isBanned

async function ask(url: string, { method, path, token, body }: Act): Promise<Answer> {
  const reply = await request(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
    headersTimeout: 10_000,
  })
  const text = await reply.body.text()
  return { status: reply.statusCode, body: JSON.parse(text) }
}
