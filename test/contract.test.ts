import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiRoutes } from '../src/api/routes.ts'
import { readConfig, textsOf } from '../src/config/config.ts'
import { fillIn } from '../src/http/envelopes.ts'
import { errorsOf, type Route, repliesOf } from '../src/http/route.ts'
import { builtInKinds } from '../src/images/kinds.ts'
import { statusRoutes } from '../src/status/routes.ts'
import { type ContractRefusal, type ContractRoute, contract, workerContract } from './contract.ts'
import { openWorker } from './status/worker-stage.ts'
import { password, startService } from './support/service.ts'

const config = readConfig({})
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`
const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort()

function refusalsOf(route: Route): ContractRefusal[] {
  return errorsOf(route).map((error) => {
    const {
      status,
      message,
      envelope = route.envelope,
    } = error as { status: number; message: string; envelope?: Route['envelope'] }
    return [status, envelope, fillIn(message, textsOf(config))] as const
  })
}

for (const [title, routes, expected] of [
  ['The API', apiRoutes(builtInKinds), contract],
  ['The status worker', statusRoutes, workerContract],
] as const) {
  describe(title, () => {
    it('has the routes of the contract, and no other', () => {
      assert.deepEqual(sorted(routes.map(nameOf)), sorted(expected.map(nameOf)))
    })

    for (const wanted of expected) {
      it(`answers and refuses ${nameOf(wanted)} as the contract says`, () => {
        const route = routes.find((each) => nameOf(each) === nameOf(wanted))
        assert.ok(route)
        const [first, ...others] = repliesOf(route)
        assert.equal(first?.status, wanted.success)
        assert.deepEqual(
          others.map(({ status }) => status),
          wanted.also ?? [],
        )
        const types = [first?.type?.split(';')[0], ...(first?.also ?? [])]
        assert.ok(types.includes(wanted.type), String(types))
        assert.deepEqual(sorted(refusalsOf(route)), sorted(wanted.refusals))
      })
    }
  })
}

describe('The running API', () => {
  it('answers every GET route of the contract with its status and type to an owner', async () => {
    const worker = await openWorker()
    const incident = { title: 'Slow', level: 'degraded', text: 'We look into it' }
    const opened = (await worker.ask('POST', '/incidents', incident)).body.incident
    await worker.beat('db')
    const service = await startService({
      env: {
        OWNER_USERNAME: 'keeper',
        OWNER_PASSWORD: password,
        STATUS_WORKER_URL: worker.url,
        STATUS_PAGE_COMPONENTS: 'api',
      },
    })
    const { accessToken } = (await service.login('keeper')).body
    for (const kind of builtInKinds) {
      const path = `/admin/s3/upload?bucketName=images&objectName=${kind}/a.png`
      const headers = { 'content-type': 'image/png' }
      const { status } = await service.request('POST', path, { token: accessToken, headers, body: 'bytes' })
      assert.equal(status, 200)
    }
    const { url } = (await service.request('POST', '/auth/embed', { token: accessToken, body: { kind: 'fox' } })).body
    const embedded = new URL(url).pathname
    const [, script = ''] = /console\/([\w-]+\.js)/.exec((await service.request('GET', '/console')).text) ?? []
    // The link of an alert has a test of its own.
    const routes = contract.filter(({ method, path }) => method === 'GET' && path !== '/acknowledge/:token')
    for (const { path, success, type = 'application/json' } of routes) {
      const query = path.startsWith('/admin/user/') ? '?username=keeper' : ''
      const url =
        path
          .replace(':folder/:filename', 'fox/a.png')
          .replace('/e/:token', embedded)
          .replace(':badge', 'api.svg')
          .replace(':incident', opened.id)
          .replace('/components/:id', '/components/db')
          .replace('/console/:file', `/console/${script}`)
          .replace(':kind', 'fox')
          .replace(':file', 'a.png') + query
      const { status, headers } = await service.request('GET', url, { token: accessToken })
      const expected = [success, type === '*/*' ? 'image/png' : type]
      assert.deepEqual([status, headers.get('content-type')?.split(';')[0]], expected, path)
    }
  })

  it('requires a token exactly where the contract has a 401 of the guard', async () => {
    const service = await startService()
    const asksForToken = ({ refusals }: ContractRoute) =>
      refusals.some(([, , message]) => message === 'Access token is required')
    for (const route of contract) {
      const { status } = await service.request(route.method, route.path)
      assert.equal(status === 401, asksForToken(route), nameOf(route))
    }
  })
})
