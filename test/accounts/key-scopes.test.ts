import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { ApiRoute } from '../../src/accounts/api-route.ts'
import { keyScopes } from '../../src/accounts/keys.ts'
import { apiRoutes } from '../../src/api/routes.ts'
import { needsToken } from '../../src/http/route.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { answerOf, mayNotAccess, refused } from '../support/people.ts'
import { stores } from '../support/stores.ts'
import { bearer, keyStage } from './key-stage.ts'

const routes = apiRoutes(builtInKinds)
const nameOf = ({ method, path }: ApiRoute) => `${method} ${path}`
const guarded = routes.filter(needsToken)
const renamed = <N, P>(route: ApiRoute<N, P>): ApiRoute<N, P> => ({
  ...route,
  path: `/renamed/${routes.map(nameOf).indexOf(nameOf(route))}`,
})
const [sqlite = assert.fail()] = stores

/** Which scopes open a route, as the documents say; any key opens GET /auth/me. */
function opening(name: string): readonly string[] {
  if (name === 'GET /auth/me') return keyScopes
  if (name === 'POST /admin/s3/upload') return ['upload', 'store']
  if (name.includes(' /admin/s3/') || name.startsWith('PATCH /admin/images/')) return ['store']
  if (name === 'POST /admin/images/move') return ['store']
  if (name.startsWith('GET /images') || name === 'POST /images/report') return ['images']
  if (name === 'GET /admin/images/:kind/:file/bytes') return []
  if (/^GET \/admin\/user\/(keys|sessions|embed)$/.test(name)) return []
  if (name.startsWith('GET /admin/')) return ['admin:read']
  return []
}

const lacking = (name: string) => opening(name)[0]

function suite(title: string, rename: <N, P>(route: ApiRoute<N, P>) => ApiRoute<N, P>): void {
  describe(`Routes ${title}`, () => {
    const { stage } = keyStage(sqlite, { overrides: { routes: (real) => real.map(rename) } })
    const secrets = new Map<string, string>()
    const ask = (method: string, path: string, options?: object) => {
      const route = routes.find((each) => nameOf(each) === `${method} ${path}`) ?? assert.fail(path)
      return stage.service.request(method, rename(route).path, options)
    }
    before(async () => {
      const credentials = { username: 'owner', password: 'correct horse battery' }
      const { user, accessToken: token } = (await ask('POST', '/auth/register', { body: credentials })).body
      await stage.accounts.setRole(user.id, 'owner')
      for (const scope of keyScopes) {
        const { body } = await ask('POST', '/auth/keys', { token, body: { name: scope, scopes: [scope] } })
        secrets.set(scope, body.key)
      }
    })

    for (const route of guarded) {
      const name = nameOf(route)
      it(`are opened by keys with their scope and by no others: ${name}`, async () => {
        for (const scope of keyScopes) {
          const reply = await ask(route.method, route.path, { token: bearer(secrets.get(scope) as string) })
          if (opening(name).includes(scope)) assert.notEqual(reply.status, 403, `${scope}: ${reply.text}`)
          else {
            const text = lacking(name)
              ? `This API key lacks the scope ${lacking(name)}`
              : 'API keys cannot be used here; sign in instead'
            assert.deepEqual(answerOf(reply), refused(403, text), scope)
            assert.match(reply.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
          }
        }
      })
    }

    it('that do not exist are 404 with a key, too', async () => {
      const token = bearer(secrets.get('images') as string)
      for (const path of ['/images/nothing', '/admin/nothing', '/nothing'])
        assert.equal((await stage.service.request('GET', path, { token })).status, 404, path)
    })
  })
}

suite('under their own names', (route) => route)
suite('under other names', renamed)

for (const store of stores) {
  describe(`The role behind an API key, on ${store.name}`, { skip: store.skip }, () => {
    const { stage, ask, create, somebody } = keyStage(store)

    it('limits what the key opens, as it is at the time of the request', async () => {
      const person = await somebody('admin')
      const { key: secret } = (await create(person, { name: 'all', scopes: keyScopes })).body
      const statusOf = async (path: string) => (await ask('GET', path, secret)).status
      const search = `/admin/user/search?userId=${person.id}`
      assert.deepEqual([await statusOf('/admin/users'), await statusOf('/admin/s3/test')], [200, 200])
      await stage.accounts.setRole(person.id, 'support')
      assert.deepEqual(answerOf(await ask('GET', '/admin/users', secret)), mayNotAccess)
      assert.deepEqual([await statusOf(search), await statusOf('/admin/s3/test')], [200, 403])
      await stage.accounts.setRole(person.id, 'user')
      assert.deepEqual([await statusOf(search), await statusOf('/images')], [403, 200])
      await stage.accounts.setRole(person.id, 'owner')
      assert.equal(await statusOf('/admin/users'), 200)
    })
  })
}
