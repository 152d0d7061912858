import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { apiRoutes } from '../../src/api/routes.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { rawRequest } from '../support/raw-request.ts'
import { password, startService } from '../support/service.ts'

test('only lists and the public status are compressed: no reply with a token, and nothing that shows a single account', () => {
  const compressed = apiRoutes(builtInKinds).filter(({ isCompressed }) => isCompressed)
  assert.deepEqual([...new Set(compressed.map(({ path, template = path }) => template))].sort(), [
    ...'/admin/audit /admin/images/duplicates /admin/images/hidden /admin/images/problems /admin/images/set-aside /admin/reports /admin/status/announcements /admin/status/components /admin/status/components/:id/runs /admin/status/incidents /admin/status/incidents/written /admin/status/maintenance /admin/status/maintenance/recurring /admin/usage /admin/users /admin/users/dashboard /api/v2/status.json /api/v2/summary.json /images/:kind /images/tags /status.json'.split(
      ' ',
    ),
  ])
})

test('the lists are the same in each coding, streamed or paginated, also across origins', async () => {
  const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, CORS_ORIGINS: 'https://pages.example' }
  const service = await startService({ env })
  for (let at = 0; at < 8; at++) await service.register(`user-${at}`)
  const { accessToken } = (await service.login('keeper')).body
  const get = (path: string, coding: string) => {
    const headers = { authorization: accessToken, origin: 'https://pages.example', 'accept-encoding': coding }
    return rawRequest(`${service.url}${path}`, { headers })
  }
  const users = (body: Buffer) => Object.keys(JSON.parse(body.toString()).users)
  for (const path of [
    ...'/admin/users /admin/users?limit=100 /admin/users/dashboard /admin/users/dashboard?limit=100'.split(' '),
  ])
    for (const [coding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const [plain, coded] = [await get(path, 'identity'), await get(path, coding)]
      assert.equal(coded.headers['content-encoding'], coding)
      assert.deepEqual(users(decode(coded.body)), users(plain.body))
      for (const { headers } of [plain, coded]) {
        assert.match(headers.vary ?? '', /Origin/)
        assert.match(headers.vary ?? '', /Accept-Encoding/)
        assert.equal(headers['cache-control'], 'no-store')
      }
    }
})
