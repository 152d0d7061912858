import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type ApiRoute, defineApiRoute } from '../../src/accounts/api-route.ts'
import { apiRoutes } from '../../src/api/routes.ts'
import { open } from '../../src/http/route.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { sameOrigin } from '../support/console-browser.ts'
import { type Person, password, startService, type TestService } from '../support/service.ts'
import { isFullSize, someOf } from '../support/size.ts'

const routes = apiRoutes(builtInKinds)
const nameOf = ({ method, path }: ApiRoute) => `${method} ${path}`
const renamed = <N, P>(route: ApiRoute<N, P>): ApiRoute<N, P> => ({
  ...route,
  path: `/renamed/${routes.map(nameOf).indexOf(nameOf(route))}`,
})

interface Counters {
  readonly auth: number
  readonly admin: number
  readonly images: number
}

/** The effects of a request: the limit in its reply, the increase of its sender's counters, and new audit events. */
interface Trace {
  readonly status: number
  readonly limit: string | null
  readonly counted: Counters
  readonly audited: readonly string[]
}

/** Each scope has a maximum of its own, so that the header shows which of them counted. */
const env = {
  RATE_LIMIT_GLOBAL_MAX: '9000',
  RATE_LIMIT_AUTH_MAX: '3000',
  RATE_LIMIT_REGISTER_MAX: '500',
  RATE_LIMIT_LOGIN_ADDRESS_MAX: '200',
  RATE_LIMIT_LOGIN_NAME_MAX: '400',
  RATE_LIMIT_EMBED_ADDRESS_MAX: '600',
  RATE_LIMIT_SESSION_MAX: '700',
  OWNER_USERNAME: 'keeper',
  OWNER_PASSWORD: password,
}

/** A service with paths chosen by `rename`, its keeper, and a banned user, whose requests are counted and audited. */
function stageOf(rename: <N, P>(route: ApiRoute<N, P>) => ApiRoute<N, P>) {
  const stage = {} as { service: TestService; banned: Person; keeper: string }
  const ask = (route: string, options: Parameters<TestService['request']>[2], query = '') => {
    const { method, path } = rename(routes.find((each) => nameOf(each) === route) ?? assert.fail(route))
    return stage.service.request(method, path.replace(':folder', 'fox').replace(':filename', 'a.png') + query, options)
  }
  const signIn = (username: string, secret = password) =>
    ask('POST /auth/login', { body: { username, password: secret } })
  const countersOf = async (username: string): Promise<Counters> => {
    const { body } = await ask('GET /admin/user/search', { token: stage.keeper }, `?username=${username}`)
    const { auth = 0, admin = 0, images = 0 } = body.requests ?? {}
    return { auth, admin, images }
  }
  /** The audit events so far. */
  const events = async (): Promise<readonly string[]> => {
    const { body } = await ask('GET /admin/audit', { token: stage.keeper }, '?limit=500')
    return body.events.map(({ id, action, outcome }: Record<string, string>) => `${id} ${action} ${outcome}`)
  }
  before(async () => {
    stage.service = await startService({ env, overrides: { routes: (real) => real.map(rename) } })
    stage.keeper = (await signIn('keeper')).body.accessToken
    const { body } = await ask('POST /auth/register', { body: { username: 'banned', password } })
    stage.banned = { ...body.user, password, accessToken: body.accessToken }
    await ask('POST /admin/ban', { token: stage.keeper, body: { username: 'banned' } })
  })

  return async (route: string): Promise<Trace> => {
    const [sender, credentials] =
      route === 'POST /auth/register'
        ? ['newcomer', { username: 'newcomer', password }]
        : ['banned', { username: 'banned', password: 'not the password' }]
    const before = { counters: await countersOf('banned'), events: await events() }
    const isOpen = /^POST .*\/(register|login|session)$/.test(route)
    const options = isOpen ? { body: credentials } : { token: stage.banned.accessToken }
    const reply = await ask(route, { ...options, headers: sameOrigin })
    const now = await countersOf(sender)
    const then = sender === 'banned' ? before.counters : { auth: 0, admin: 0, images: 0 }
    return {
      status: reply.status,
      limit: reply.headers.get('x-ratelimit-limit'),
      counted: { auth: now.auth - then.auth, admin: now.admin - then.admin, images: now.images - then.images },
      audited: (await events()).filter((event) => !before.events.includes(event)).map((event) => event.slice(37)),
    }
  }
}

describe('A renamed route', () => {
  const [asNamed, asRenamed] = [stageOf((route) => route), stageOf(renamed)]
  const limits = {
    register: '500',
    login: '200',
    auth: '3000',
    me: '3000',
    password: '3000',
    passwordAgain: '3000',
    adminPasswordAgain: '9000',
    embed: '600',
    report: '9000',
  }

  for (const route of someOf(25, routes, 60)) {
    it(`keeps its limit, counter and audit: ${nameOf(route)}`, async () => {
      const trace = await asRenamed(nameOf(route))
      if (isFullSize) assert.deepEqual(trace, await asNamed(nameOf(route)))
      assert.equal(trace.limit, route.limit === null ? '9000' : limits[route.limit])
      // A token in the path belongs to no user.
      const counts = route.limit === 'embed' ? null : route.counts
      const counted = { auth: 0, admin: 0, images: 0, ...(counts && { [counts]: 1 }) }
      assert.deepEqual(
        trace.counted,
        /(login|\/console\/session)$/.test(nameOf(route)) ? { ...counted, auth: 0 } : counted,
      )
      const [event, ...others] = trace.audited
      // Signing out of the console without a session changes nothing, and there is an owner.
      const audit = /^DELETE \/console\/session$|\/console\/owner$/.test(nameOf(route)) ? null : route.audit
      assert.deepEqual([event?.split(' ')[0] ?? null, others], [audit, []])
    })
  }
})

describe('An added route', () => {
  const route = {
    method: 'GET' as const,
    path: '/added',
    operationId: 'added',
    summary: 'Added',
    access: open,
    envelope: 'message' as const,
    reply: { status: 204 },
    errors: [],
    handle: () => null,
  }

  it('does not compile without its limit, counter, audit and key scope, or with unknown ones', () => {
    defineApiRoute({ ...route, limit: null, counts: null, audit: null, keyScope: null })
    // @ts-expect-error: no limit
    defineApiRoute({ ...route, counts: null, audit: null, keyScope: null })
    // @ts-expect-error: no counter
    defineApiRoute({ ...route, limit: null, audit: null, keyScope: null })
    // @ts-expect-error: no audit
    defineApiRoute({ ...route, limit: null, counts: null, keyScope: null })
    // @ts-expect-error: no key scope
    defineApiRoute({ ...route, limit: null, counts: null, audit: null })
    // @ts-expect-error: keys open only what a guard protects
    defineApiRoute({ ...route, limit: null, counts: null, audit: null, keyScope: 'images' })
    // @ts-expect-error: no such action
    defineApiRoute({ ...route, limit: null, counts: null, audit: 'nothing', keyScope: null })
  })

  it('needs a limit below /auth/, and a counter if it requires a user', () => {
    for (const each of routes) {
      if (each.limit !== 'embed' && each.limit !== 'report' && each.limit !== 'adminPasswordAgain')
        assert.equal(each.limit !== null, /^\w+ \/auth\/|^POST \/console\//.test(nameOf(each)), nameOf(each))
      if (each.access.label.includes('user') || each.access.label.includes('admin'))
        assert.ok(each.counts, nameOf(each))
    }
  })
})
